# Installs the build into an empty folder, builds the outside project against it and runs that.
# Called with BUILD, SOURCE, WORK and GENERATOR.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

# What an earlier version installed must not help; the outside build is kept, so a second run is short.
file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/run)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/prefix/bin/gat train karate --epochs 5 --out ${WORK}/run)
run(${WORK}/build/consumer ${WORK}/run/model.safetensors)
