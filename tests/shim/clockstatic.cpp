// Says what time it is, and waits until its input ends. Linked statically, so that nothing can be preloaded into it; or
// dynamically and with the note that Go's linker leaves in what it makes.

#include <cstdio>
#include <ctime>

#ifdef WITH_NOTE_OF_GO
__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
        ".long 4, 4, 4\n"
        ".ascii \"Go\\0\\0\"\n"
        ".ascii \"abcd\"\n"
        ".popsection\n");
#endif

int main()
{
    timespec now {};
    clock_gettime(CLOCK_REALTIME, &now);
    std::printf("%lld\n", static_cast<long long>(now.tv_sec));
    std::fflush(stdout);
    while (std::getchar() != EOF) {}
    return 0;
}
