// What users say about remote storage, in the environment.
#pragma once

#include "penstock/base/result.h"
#include "penstock/storage/http/client.h"
#include "penstock/storage/remote/transfer.h"

namespace penstock::storage {

// PENSTOCK_CONNECT_SECONDS, PENSTOCK_FIRST_BYTE_SECONDS, PENSTOCK_STALL_SECONDS and
// PENSTOCK_GIVE_UP_SECONDS, numbers above 0; PENSTOCK_HEDGE_PERCENT, a number from 0 to less than
// 100. Fails with kInvalidArgument if one is something else.
Result<RemoteOptions> remote_options_of_environment();

// Whom to trust: the file in SSL_CERT_FILE, CURL_CA_BUNDLE or AWS_CA_BUNDLE, or where the system
// keeps its own. And whether there are proxies or passwords that only libcurl knows.
HttpClientOptions client_options_of_environment();

}  // namespace penstock::storage
