# How a layer, its tests and its benchmarks are built. Folders glob their files, so that a new file
# never edits CMake.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
pkg_check_modules(curl REQUIRED IMPORTED_TARGET libcurl>=7.85)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto>=3)
pkg_check_modules(pugixml REQUIRED IMPORTED_TARGET pugixml)
pkg_check_modules(uring REQUIRED IMPORTED_TARGET liburing)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(webp REQUIRED IMPORTED_TARGET libwebp)
pkg_check_modules(tiff REQUIRED IMPORTED_TARGET libtiff-4>=4.5)
pkg_check_modules(gif REQUIRED IMPORTED_TARGET libgif)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

if(PENSTOCK_BUILD_TESTS OR PENSTOCK_BUILD_BENCHMARKS)
  pkg_check_modules(spng REQUIRED IMPORTED_TARGET spng)
  pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
endif()
if(PENSTOCK_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(PENSTOCK_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# Warnings and sanitizers for our own code only.
add_library(penstock_options INTERFACE)
target_compile_features(penstock_options INTERFACE cxx_std_20)
target_compile_options(penstock_options INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
target_link_libraries(penstock_options INTERFACE Threads::Threads)
if(PENSTOCK_SANITIZE)
  # The vptr check looks at memory through a pipe: where no file can be opened, it finds every object
  # broken, and there are tests of that.
  target_compile_options(penstock_options INTERFACE -fsanitize=${PENSTOCK_SANITIZE} -fno-sanitize=vptr
                                                    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(penstock_options INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
endif()
if(PENSTOCK_FUZZ)
  target_compile_options(penstock_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Every layer's library, in order, and what they link from outside; filled by penstock_layer().
set_property(GLOBAL PROPERTY PENSTOCK_LAYERS "")
set_property(GLOBAL PROPERTY PENSTOCK_EXTERNAL_LIBRARIES "")

# Sets `result` to whether PENSTOCK_TESTS asks for this group of tests.
function(penstock_wants_tests group result)
  if(PENSTOCK_BUILD_TESTS AND (NOT PENSTOCK_TESTS OR group IN_LIST PENSTOCK_TESTS))
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# penstock_test(name FILES files... LIBS libs... LABEL label): one GoogleTest program.
function(penstock_test name)
  cmake_parse_arguments(arg "" "LABEL" "LIBS;FILES" ${ARGN})
  add_executable(${name} ${arg_FILES})
  target_link_libraries(${name} PRIVATE penstock_options ${arg_LIBS} GTest::gmock_main)
  gtest_discover_tests(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 300 DISCOVERY_TIMEOUT 60)
endfunction()

# penstock_layer(name USES layers... LIBS external... TEST_LIBS external...): the layer's library from
# its folder, its unit tests and its benchmarks, which link TEST_LIBS besides.
function(penstock_layer name)
  cmake_parse_arguments(arg "" "" "USES;LIBS;TEST_LIBS" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS ${folder}/*_bench.cpp)
  list(REMOVE_ITEM sources ${tests} ${benches})

  set(library penstock_${name})
  list(TRANSFORM arg_USES PREPEND penstock_)
  if(sources)
    add_library(${library} STATIC ${sources})
    target_include_directories(${library} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${library} PRIVATE penstock_options ${arg_LIBS} PUBLIC ${arg_USES})
    target_compile_features(${library} PUBLIC cxx_std_20)
    set_property(GLOBAL APPEND PROPERTY PENSTOCK_LAYERS ${library})
    set_property(GLOBAL APPEND PROPERTY PENSTOCK_EXTERNAL_LIBRARIES ${arg_LIBS})
  else()
    add_library(${library} INTERFACE)
    target_include_directories(${library} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${library} INTERFACE ${arg_USES})
  endif()

  penstock_wants_tests(${name} wants_tests)
  if(wants_tests AND tests)
    penstock_test(${library}_test FILES ${tests} LIBS ${library} ${arg_LIBS} ${arg_TEST_LIBS} LABEL unit)
  endif()
  if(PENSTOCK_BUILD_BENCHMARKS AND benches)
    add_executable(${library}_bench ${benches})
    target_link_libraries(${library}_bench PRIVATE penstock_options ${library} ${arg_LIBS} ${arg_TEST_LIBS}
                                                   benchmark::benchmark_main)
  endif()
endfunction()

# penstock_embed(file template LAYER layer VARIABLE name): builds a text into a layer, as a source file made from the
# template, where @name@ stands for the text.
function(penstock_embed file template)
  cmake_parse_arguments(arg "" "LAYER;VARIABLE" "" ${ARGN})
  cmake_path(GET template STEM LAST_ONLY made)
  file(READ ${file} ${arg_VARIABLE})
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${arg_LAYER}/${made} @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  target_sources(penstock_${arg_LAYER} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${arg_LAYER}/${made})
endfunction()

# The library that is installed, with a CMake package: find_package(penstock), penstock::penstock.
function(penstock_shared_library)
  get_property(objects GLOBAL PROPERTY PENSTOCK_LAYERS)
  get_property(external GLOBAL PROPERTY PENSTOCK_EXTERNAL_LIBRARIES)
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)
  add_library(penstock SHARED ${objects})
  add_library(penstock::penstock ALIAS penstock)
  target_link_libraries(penstock PRIVATE penstock_options ${external})
  target_link_options(penstock PRIVATE -Wl,--version-script=${symbols})
  target_include_directories(penstock PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(penstock PUBLIC cxx_std_20)
  set_target_properties(penstock PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                            LINK_DEPENDS ${symbols})
  penstock_install_package()
endfunction()

# The library, its headers and penstockConfig.cmake.
function(penstock_install_package)
  include(CMakePackageConfigHelpers)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
  install(TARGETS penstock EXPORT penstock)
  install(EXPORT penstock NAMESPACE penstock:: FILE penstockConfig.cmake DESTINATION ${package})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake DESTINATION ${package})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/penstock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h" PATTERN "test_*" EXCLUDE PATTERN "testing.h" EXCLUDE)
endfunction()
