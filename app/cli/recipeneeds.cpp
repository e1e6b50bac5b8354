#include "app/cli/recipeneeds.h"

#include <QHash>

namespace latchkey::cli {

QStringList commandsNeededBy(const QString &recipe)
{
    static const QString tokenLock = QStringLiteral("SET EVALSHA EVAL GET DEL PEXPIRE");
    static const QHash<QString, QString> needs {
        {QStringLiteral("basic"), QStringLiteral("SET DEL")},
        {QStringLiteral("setnx"), QStringLiteral("SETNX DEL")},
        {QStringLiteral("auto-release"), QStringLiteral("SET DEL")},
        {QStringLiteral("setnx-then-expire"), QStringLiteral("SETNX EXPIRE PEXPIRE DEL")},
        {QStringLiteral("multi-setnx-expire"), QStringLiteral("MULTI SETNX EXPIRE PEXPIRE EXEC DEL")},
        {QStringLiteral("lua-setnx-expire"), QStringLiteral("EVALSHA EVAL SETNX PEXPIRE DEL")},
        {QStringLiteral("timestamp-naive"), QStringLiteral("SETNX GET DEL")},
        {QStringLiteral("timestamp-getset"), QStringLiteral("SETNX GET GETSET DEL")},
        {QStringLiteral("token-check-then-delete"), QStringLiteral("SET GET DEL")},
        {QStringLiteral("token"), tokenLock},
        {QStringLiteral("token-watch"), QStringLiteral("SET WATCH GET MULTI DEL EXEC EVALSHA EVAL PEXPIRE")},
        {QStringLiteral("fenced"), QStringLiteral("EVALSHA EVAL EXISTS INCR SET GET DEL PEXPIRE")},
        {QStringLiteral("renewing"), tokenLock},
        {QStringLiteral("redlock"), tokenLock},
        {QStringLiteral("set-then-expire"), QStringLiteral("SET EXPIRE PEXPIRE GET PTTL")},
        {QStringLiteral("set-ex"), QStringLiteral("SET GET PTTL")},
        {QStringLiteral("setex"), QStringLiteral("SETEX PSETEX GET PTTL")},
        {QStringLiteral("hash-then-expire"), QStringLiteral("HSET EXPIRE HGETALL PTTL")},
        {QStringLiteral("hash-lua"), QStringLiteral("EVALSHA EVAL HSET PEXPIRE HGETALL PTTL")},
        {QStringLiteral("hash-multi"), QStringLiteral("MULTI HSET PEXPIRE EXEC HGETALL PTTL")},
        {QStringLiteral("hash-placeholder"), QStringLiteral("HSET EXPIRE HDEL HGETALL PTTL")},
        {QStringLiteral("guarded"), QStringLiteral("GET SET EVALSHA EVAL STRLEN DEL PEXPIRE PTTL")},
    };
    return needs.value(recipe).split(u' ', Qt::SkipEmptyParts);
}

} // namespace latchkey::cli
