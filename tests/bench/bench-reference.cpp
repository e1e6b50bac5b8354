// The reference: plain hiredis, with the smallest loop that does the work. Prints the seconds it took.
//   bench-reference cycle unix:PATH|tcp:PORT COUNT   SET NX PX and compare-and-delete by EVALSHA, COUNT times
//   bench-reference scan unix:PATH                   SCAN COUNT 1000, and the batch's PTTLs in one pipeline

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hiredis/hiredis.h>
#include <string>

namespace {

[[noreturn]] void fail(const char *what)
{
    std::fprintf(stderr, "bench-reference: %s\n", what);
    std::exit(1);
}

redisContext *connectTo(const std::string &place)
{
    redisContext *context = place.starts_with("unix:") ? redisConnectUnix(place.c_str() + 5)
                                                       : redisConnect("127.0.0.1", std::atoi(place.c_str() + 4));
    if (context == nullptr || context->err != 0)
        fail("cannot connect");
    return context;
}

redisReply *checked(void *reply)
{
    auto *result = static_cast<redisReply *>(reply);
    if (result == nullptr || result->type == REDIS_REPLY_ERROR)
        fail(result == nullptr ? "the connection was lost" : result->str);
    return result;
}

void cycle(redisContext *context, int count)
{
    const char *script = "local holder = redis.call('GET', KEYS[1]) if not holder then return -1 end "
                         "if holder ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])";
    redisReply *loaded = checked(redisCommand(context, "SCRIPT LOAD %s", script));
    const std::string sha1(loaded->str, loaded->len);
    freeReplyObject(loaded);
    const char *token = "0123456789abcdef0123456789abcdef";
    for (int i = 0; i < count; ++i) {
        redisReply *won = checked(redisCommand(context, "SET %s %s NX PX %d", "bench:lock", token, 30000));
        if (won->type != REDIS_REPLY_STATUS)
            fail("the lock was busy");
        freeReplyObject(won);
        redisReply *released = checked(redisCommand(context, "EVALSHA %s 1 %s %s", sha1.c_str(), "bench:lock", token));
        if (released->integer != 1)
            fail("the lock was not released");
        freeReplyObject(released);
    }
}

long long scan(redisContext *context)
{
    std::string cursor = "0";
    long long keys = 0;
    do {
        redisReply *reply = checked(redisCommand(context, "SCAN %s COUNT 1000", cursor.c_str()));
        cursor.assign(reply->element[0]->str, reply->element[0]->len);
        const redisReply *batch = reply->element[1];
        for (std::size_t i = 0; i < batch->elements; ++i) {
            const redisReply *key = batch->element[i];
            redisAppendCommand(context, "PTTL %b", key->str, static_cast<std::size_t>(key->len));
        }
        for (std::size_t i = 0; i < batch->elements; ++i) {
            void *left = nullptr;
            if (redisGetReply(context, &left) != REDIS_OK)
                fail("the connection was lost");
            keys += checked(left)->integer >= -1 ? 1 : 0;
            freeReplyObject(left);
        }
        freeReplyObject(reply);
    } while (cursor != "0");
    return keys;
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 3)
        fail("see the comment at the top of its source");
    redisContext *context = connectTo(argv[2]);
    const bool isScan = std::strcmp(argv[1], "scan") == 0;
    const auto start = std::chrono::steady_clock::now();
    if (isScan)
        std::fprintf(stderr, "%lld keys\n", scan(context));
    else
        cycle(context, argc > 3 ? std::atoi(argv[3]) : 1000);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.6f\n", seconds.count());
    redisFree(context);
    return 0;
}
