// The reference: plain hiredis with the smallest loop that does the work. Prints the time in seconds.
//   bench-reference cycle unix:PATH|tcp:PORT COUNT   SET NX PX and compare-and-delete by EVALSHA, COUNT times
//   bench-reference scan unix:PATH                   SCAN COUNT 1000, and the batch's PTTLs in one pipeline
//   bench-reference names unix:PATH                  SCAN COUNT 1000, and a count of the names with "lock"
//   bench-reference recipe ID COUNT unix:PATH...     the commands of one of the catalogue's recipes, COUNT times

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <hiredis/hiredis.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr auto token = "0123456789abcdef0123456789abcdef";

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

/// Commands that are sent in one pipeline, to every server.
using Pipeline = std::vector<std::string>;

/// Returns the commands that acquire and release an uncontended `bench:lock`, one pipeline per step. {name} stands for
/// the SHA1 of the script of that name.
std::vector<Pipeline> stepsOf(const std::string &recipe)
{
    const std::string key = "bench:lock";
    const std::string owned = " " + key + " " + token;
    const std::string compareAndDelete = "EVALSHA {compare-and-delete} 1" + owned;
    if (recipe == "basic")
        return {{"SET " + key + " locking NX"}, {"DEL " + key}};
    if (recipe == "setnx")
        return {{"SETNX " + key + " locking"}, {"DEL " + key}};
    if (recipe == "auto-release")
        return {{"SET " + key + " locking NX PX 30000"}, {"DEL " + key}};
    if (recipe == "setnx-then-expire")
        return {{"SETNX " + key + " locking"}, {"EXPIRE " + key + " 30"}, {"DEL " + key}};
    if (recipe == "multi-setnx-expire")
        return {{"MULTI", "SETNX " + key + " locking", "EXPIRE " + key + " 30", "EXEC"}, {"DEL " + key}};
    if (recipe == "lua-setnx-expire")
        return {{"EVALSHA {setnx-expire} 1 " + key + " locking 30000"}, {"DEL " + key}};
    if (recipe == "timestamp-naive" || recipe == "timestamp-getset")
        return {{"SETNX " + key + " 4102444800"}, {"DEL " + key}};
    if (recipe == "token-check-then-delete")
        return {{"SET" + owned + " NX PX 30000"}, {"GET " + key}, {"DEL " + key}};
    if (recipe == "token-watch")
        return {{"SET" + owned + " NX PX 30000"}, {"WATCH " + key}, {"GET " + key}, {"MULTI"}, {"DEL " + key, "EXEC"}};
    if (recipe == "fenced")
        return {{"EVALSHA {fenced-acquire} 2 " + key + " {" + key + "}:fence " + token + " 30000"}, {compareAndDelete}};
    if (recipe == "token" || recipe == "renewing" || recipe == "redlock")
        return {{"SET" + owned + " NX PX 30000"}, {compareAndDelete}};
    fail(("it does not know the recipe " + recipe).c_str());
}

/// Loads the script into all servers and returns its SHA1.
std::string load(const std::vector<redisContext *> &servers, const std::string &name)
{
    std::ifstream file(LATCHKEY_SOURCE_DIR "/resources/lua/" + name + ".lua");
    std::ostringstream source;
    source << file.rdbuf();
    std::string sha1;
    for (redisContext *server : servers) {
        redisReply *loaded = checked(redisCommand(server, "SCRIPT LOAD %s", source.str().c_str()));
        sha1.assign(loaded->str, loaded->len);
        freeReplyObject(loaded);
    }
    return sha1;
}

void loadScripts(const std::vector<redisContext *> &servers, std::vector<Pipeline> &steps)
{
    for (Pipeline &pipeline : steps) {
        for (std::string &command : pipeline) {
            for (const std::string name : {"compare-and-delete", "setnx-expire", "fenced-acquire"}) {
                const std::string place = "{" + name + "}";
                if (const std::size_t at = command.find(place); at != std::string::npos)
                    command.replace(at, place.size(), load(servers, name));
            }
        }
    }
}

void runSteps(const std::vector<redisContext *> &servers, const std::vector<Pipeline> &steps, int count)
{
    for (int i = 0; i < count; ++i) {
        for (const Pipeline &pipeline : steps) {
            for (redisContext *server : servers) {
                for (const std::string &command : pipeline)
                    redisAppendCommand(server, command.c_str());
                int isSent = 0;
                while (isSent == 0)
                    if (redisBufferWrite(server, &isSent) != REDIS_OK)
                        fail("the connection was lost");
            }
            for (redisContext *server : servers) {
                for (std::size_t command = 0; command < pipeline.size(); ++command) {
                    void *reply = nullptr;
                    if (redisGetReply(server, &reply) != REDIS_OK)
                        fail("the connection was lost");
                    freeReplyObject(checked(reply));
                }
            }
        }
    }
}

int runRecipe(int argc, char *argv[])
{
    if (argc < 5)
        fail("see the comment at the top of its source");
    std::vector<redisContext *> servers;
    for (int i = 4; i < argc; ++i)
        servers.push_back(connectTo(argv[i]));
    std::vector<Pipeline> steps = stepsOf(argv[2]);
    loadScripts(servers, steps);
    const auto start = std::chrono::steady_clock::now();
    runSteps(servers, steps, std::atoi(argv[3]));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.6f\n", seconds.count());
    for (redisContext *server : servers)
        redisFree(server);
    return 0;
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

long long countNames(redisContext *context)
{
    std::string cursor = "0";
    long long locks = 0;
    do {
        redisReply *reply = checked(redisCommand(context, "SCAN %s COUNT 1000", cursor.c_str()));
        cursor.assign(reply->element[0]->str, reply->element[0]->len);
        const redisReply *batch = reply->element[1];
        for (std::size_t i = 0; i < batch->elements; ++i) {
            const std::string_view name(batch->element[i]->str, batch->element[i]->len);
            locks += name.find("lock") != std::string_view::npos ? 1 : 0;
        }
        freeReplyObject(reply);
    } while (cursor != "0");
    return locks;
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 3)
        fail("see the comment at the top of its source");
    if (std::strcmp(argv[1], "recipe") == 0)
        return runRecipe(argc, argv);
    redisContext *context = connectTo(argv[2]);
    const auto start = std::chrono::steady_clock::now();
    if (std::strcmp(argv[1], "scan") == 0)
        std::fprintf(stderr, "%lld keys\n", scan(context));
    else if (std::strcmp(argv[1], "names") == 0)
        std::fprintf(stderr, "%lld locks\n", countNames(context));
    else
        cycle(context, argc > 3 ? std::atoi(argv[3]) : 1000);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.6f\n", seconds.count());
    redisFree(context);
    return 0;
}
