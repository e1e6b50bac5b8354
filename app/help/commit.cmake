# Writes OUTPUT, a header with the commit of SOURCE. Each build runs it; the file changes only with the commit. Without git,
# and for sources in another project's checkout, the commit is empty.
set(commit "")
find_program(git git)
if(git AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${git} describe --always --abbrev=12 --exclude * --dirty=-changed WORKING_DIRECTORY ${SOURCE}
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define LATCHKEY_COMMIT \"${commit}\"\n" @ONLY)
