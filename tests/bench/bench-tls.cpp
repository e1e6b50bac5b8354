// The work of hiredis over TLS, written like hiredis_ssl, which Debian 12 does not have. OpenSSL writes the commands
// that hiredis has formatted. hiredis's reader parses the bytes that OpenSSL reads.
//   bench-tls PORT CACERT     SCAN COUNT 1000, and the batch's PTTLs in one pipeline; prints the seconds

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hiredis/hiredis.h>
#include <memory>
#include <openssl/ssl.h>
#include <string>

namespace {

[[noreturn]] void fail(const char *what)
{
    std::fprintf(stderr, "bench-tls: %s\n", what);
    std::exit(1);
}

struct Line
{
    SSL *ssl = nullptr;
    redisReader *reader = redisReaderCreate();
    std::string outgoing;

    void ask(int count, const char **words, const std::size_t *lengths)
    {
        char *command = nullptr;
        const auto length = redisFormatCommandArgv(&command, count, words, lengths);
        outgoing.append(command, static_cast<std::size_t>(length));
        redisFreeCommand(command);
    }
    void send()
    {
        if (!outgoing.empty() && SSL_write(ssl, outgoing.data(), static_cast<int>(outgoing.size())) <= 0)
            fail("the connection was lost");
        outgoing.clear();
    }
    redisReply *reply()
    {
        void *reply = nullptr;
        while (redisReaderGetReply(reader, &reply) == REDIS_OK && reply == nullptr) {
            std::array<char, 16 * 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by SSL_read().
            const int count = SSL_read(ssl, buffer.data(), static_cast<int>(buffer.size()));
            if (count <= 0)
                fail("the connection was lost");
            redisReaderFeed(reader, buffer.data(), static_cast<std::size_t>(count));
        }
        if (reply == nullptr)
            fail("no reply");
        return static_cast<redisReply *>(reply);
    }
};

long long scan(Line &line)
{
    std::string cursor = "0";
    long long keys = 0;
    do {
        std::array<const char *, 4> words {"SCAN", cursor.c_str(), "COUNT", "1000"};
        const std::array<std::size_t, 4> lengths {4, cursor.size(), 5, 4};
        line.ask(4, words.data(), lengths.data());
        line.send();
        redisReply *reply = line.reply();
        cursor.assign(reply->element[0]->str, reply->element[0]->len);
        const redisReply *batch = reply->element[1];
        for (std::size_t i = 0; i < batch->elements; ++i) {
            std::array<const char *, 2> question {"PTTL", batch->element[i]->str};
            const std::array<std::size_t, 2> sizes {4, batch->element[i]->len};
            line.ask(2, question.data(), sizes.data());
        }
        line.send();
        for (std::size_t i = 0; i < batch->elements; ++i) {
            redisReply *left = line.reply();
            keys += left->integer >= -1 ? 1 : 0;
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
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (SSL_CTX_load_verify_locations(context, argv[2], nullptr) != 1)
        fail("no CA");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    redisContext *connection = redisConnect("127.0.0.1", std::atoi(argv[1]));
    if (connection == nullptr || connection->err != 0)
        fail("cannot connect");
    Line line;
    line.ssl = SSL_new(context);
    SSL_set_fd(line.ssl, connection->fd);
    if (SSL_connect(line.ssl) != 1)
        fail("no handshake");
    const auto start = std::chrono::steady_clock::now();
    std::fprintf(stderr, "%lld keys\n", scan(line));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.6f\n", seconds.count());
    return 0;
}
