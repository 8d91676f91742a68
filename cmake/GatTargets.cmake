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
  if(GAT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GAT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${GAT_SANITIZE})
  endif()
endfunction()

# The widest instruction level (lib/kernels/simd/level.hpp) that kernels are compiled for, beside the narrower
# ones in one library. Double precision, which is there for checks, stops at AVX2: kernels are most of what a
# build takes, and with sanitizers many times as much.
if(NOT GAT_WIDEST_LEVEL MATCHES "^[012]$")
  message(FATAL_ERROR "GAT_WIDEST_LEVEL is '${GAT_WIDEST_LEVEL}'; it is 0 (SSE2), 1 (AVX2) or 2 (AVX-512)")
endif()
set(gat_widest_level 0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(gat_widest_level ${GAT_WIDEST_LEVEL})
endif()
set(gat_widest_level_f64 0)
if(gat_widest_level GREATER 0)
  set(gat_widest_level_f64 1)
endif()

# Only kernels are worth the compiler's last level, which takes it a quarter longer.
function(gat_optimise_plainly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endfunction()

# What every part of a library is compiled with. Eigen must not start threads of its own: the number of
# threads belongs to each call of ours.
function(gat_library_settings target widest_level)
  gat_compile_options(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE GAT_VERSION="${PROJECT_VERSION}"
                                               GAT_WIDEST_LEVEL=${widest_level})
  if(GAT_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
endfunction()

# gat_add_library(target widest_level [definition…]): the library, and the kernels of each instruction level
# in it.
function(gat_add_library target widest_level)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/kernels/simd/*.cpp
                               ${PROJECT_SOURCE_DIR}/lib/kernels/scores/*.cpp)
  list(REMOVE_ITEM sources ${kernels})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gat/*.hpp)

  add_library(${target} ${sources})
  add_library(gat::${target} ALIAS ${target})
  gat_library_settings(${target} ${widest_level})
  gat_optimise_plainly(${target})
  target_compile_definitions(${target} PUBLIC ${ARGN})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                  FILES ${headers})
  target_link_libraries(${target} PUBLIC Eigen3::Eigen Boost::headers
                                  PRIVATE OpenMP::OpenMP_CXX ZLIB::ZLIB
                                          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
                                          $<BUILD_INTERFACE:Spectra::Spectra>)
  foreach(level RANGE ${widest_level})
    set(part ${target}_simd${level})
    add_library(${part} OBJECT ${kernels})
    gat_library_settings(${part} ${widest_level})
    target_compile_definitions(${part} PRIVATE GAT_SIMD_LEVEL=${level} ${ARGN})
    # Where wider kernels are there, the narrowest are for processors of before 2013.
    if(level EQUAL 0 AND widest_level GREATER 0)
      gat_optimise_plainly(${part})
    endif()
    # Nobody reads errno after a kernel, and only without it are square roots vectorised.
    target_compile_options(${part} PRIVATE -fno-math-errno)
    target_include_directories(${part} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${part} PRIVATE OpenMP::OpenMP_CXX)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()
