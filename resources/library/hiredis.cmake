# latchkey_copy_hiredis(<target>): defines the target as a copy of the static hiredis whose functions begin with latchkey_. A
# program that links the library may link another version of hiredis as well, and neither calls the other's functions.
function(latchkey_copy_hiredis target)
    find_library(LATCHKEY_HIREDIS_ARCHIVE libhiredis.a HINTS ${hiredis_LIBRARY_DIRS} REQUIRED)
    find_program(nm nm REQUIRED)
    execute_process(COMMAND ${nm} --defined-only --extern-only --format=posix ${LATCHKEY_HIREDIS_ARCHIVE}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]* [A-Z] " symbols "${symbols}")
    set(names "")
    set(header "/* Names of the functions in the copy of hiredis. */\n#pragma once\n")
    foreach(symbol ${symbols})
        string(REGEX REPLACE " .*" "" symbol "${symbol}")
        string(APPEND names "${symbol} latchkey_${symbol}\n")
        string(APPEND header "#define ${symbol} latchkey_${symbol}\n")
    endforeach()
    set(folder ${CMAKE_BINARY_DIR}/hiredis)
    file(CONFIGURE OUTPUT ${folder}/names.txt CONTENT "${names}" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/names.h CONTENT "${header}" @ONLY)
    set(copy ${folder}/liblatchkey_hiredis.a)
    execute_process(COMMAND ${CMAKE_OBJCOPY} --enable-deterministic-archives --strip-debug --redefine-syms=${folder}/names.txt
        ${LATCHKEY_HIREDIS_ARCHIVE} ${copy} COMMAND_ERROR_IS_FATAL ANY)
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${copy}
        INTERFACE_INCLUDE_DIRECTORIES "${hiredis_INCLUDE_DIRS}"
        INTERFACE_COMPILE_OPTIONS "${hiredis_CFLAGS_OTHER};SHELL:-include ${folder}/names.h")
    set(LATCHKEY_HIREDIS_COPY ${copy} PARENT_SCOPE)
endfunction()
