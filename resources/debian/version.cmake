# Sets RESULT to the version of the sources in FOLDER: that of the newest tag vMAJOR.MINOR.PATCH before the commit. Sources
# without git or without such a tag have the version of the newest entry of resources/debian/changelog, and so has a release
# that is being prepared: its entry is written before its tag.
function(latchkey_find_version RESULT FOLDER)
    file(STRINGS ${FOLDER}/resources/debian/changelog newest LIMIT_COUNT 1)
    if(NOT newest MATCHES "^latchkey \\(([0-9]+\\.[0-9]+\\.[0-9]+)-")
        message(FATAL_ERROR "${FOLDER}/resources/debian/changelog: the first line has no version")
    endif()
    set(version ${CMAKE_MATCH_1})
    find_program(LATCHKEY_GIT git)
    if(LATCHKEY_GIT AND EXISTS ${FOLDER}/.git)
        execute_process(COMMAND ${LATCHKEY_GIT} describe --tags --abbrev=0 --match "v[0-9]*.[0-9]*.[0-9]*"
            WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(tag MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)$" AND CMAKE_MATCH_1 VERSION_GREATER version)
            set(version ${CMAKE_MATCH_1})
        endif()
    endif()
    set(${RESULT} ${version} PARENT_SCOPE)
endfunction()
