// The page that a browser shows: page.html, built in.
#pragma once

#include <string_view>

namespace penstock::serve {

std::string_view page_html();

}  // namespace penstock::serve
