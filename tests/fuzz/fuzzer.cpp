#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

/// Entry points of libFuzzer: `latchkey-fuzz --target=NAME [libFuzzer's arguments]`. `--targets` lists the names.

namespace {

const latchkey::fuzz::Target *target = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static constexpr const char *option = "--target=";
    for (int i = 1; i < *argc; ++i) {
        const char *const argument = (*argv)[i];
        if (std::strcmp(argument, "--targets") == 0) {
            for (const latchkey::fuzz::Target &each : latchkey::fuzz::targets())
                std::printf("%s\n", each.name);
            std::exit(0);
        }
        if (std::strncmp(argument, option, std::strlen(option)) == 0)
            target = latchkey::fuzz::targetNamed(argument + std::strlen(option));
    }
    if (target == nullptr) {
        std::fprintf(stderr, "latchkey-fuzz: --target=NAME is needed; --targets lists the names\n");
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, std::size_t size)
{
    target->run(QByteArrayView(data, static_cast<qsizetype>(size)));
    return 0;
}
