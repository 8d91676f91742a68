# How every target of this project is compiled. A file belongs to a room by its folder, so the
# sources are found, not listed: adding a file is adding a file.

# Flags of our own targets; none of them reaches a user of the library.
function(gat_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
                                             POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           # GCC 12 reports a false overlap in string concatenation (its bug 105651).
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                                           $<$<BOOL:${GAT_WARNINGS_AS_ERRORS}>:-Werror>)
  if(GAT_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(GAT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GAT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${GAT_SANITIZE})
  endif()
endfunction()

function(gat_add_library target)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gat/*.hpp)
  add_library(${target} ${sources})
  add_library(gat::${target} ALIAS ${target})
  gat_compile_options(${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                  FILES ${headers})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  # Eigen must not start threads of its own: the number of threads belongs to each call of ours.
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE
                                               GAT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PUBLIC Eigen3::Eigen Boost::headers
                                  PRIVATE OpenMP::OpenMP_CXX ZLIB::ZLIB
                                          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endfunction()
