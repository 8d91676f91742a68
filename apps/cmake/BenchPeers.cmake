# Libraries that `gat bench` compares its dense products with, where they are found. The program loads them from
# there when a suite asks for them; nothing links to them.
option(GAT_BENCH_PEERS "Let gat bench compare with oneDNN and OpenBLAS where they are found" ON)

function(gat_add_bench_peer name library header folders)
  find_library(GAT_BENCH_${name}_LIBRARY ${library})
  find_path(GAT_BENCH_${name}_INCLUDE ${header} PATH_SUFFIXES ${folders})
  mark_as_advanced(GAT_BENCH_${name}_LIBRARY GAT_BENCH_${name}_INCLUDE)
  if(NOT GAT_BENCH_${name}_LIBRARY OR NOT GAT_BENCH_${name}_INCLUDE)
    message(STATUS "No ${library}: gat bench does not compare its products with it")
    return()
  endif()
  target_compile_definitions(gat_yardsticks PRIVATE GAT_BENCH_${name}="${GAT_BENCH_${name}_LIBRARY}")
  target_include_directories(gat_yardsticks SYSTEM PRIVATE ${GAT_BENCH_${name}_INCLUDE})
  target_link_libraries(gat_yardsticks PRIVATE ${CMAKE_DL_LIBS})
endfunction()

if(GAT_BENCH_PEERS)
  gat_add_bench_peer(ONEDNN dnnl dnnl.h "")
  gat_add_bench_peer(OPENBLAS openblas cblas.h "openblas;${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
