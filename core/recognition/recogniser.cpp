#include "core/recognition/recogniser.h"

#include "core/recognition/valueclass.h"

#include <algorithm>
#include <array>

namespace latchkey::recognition {

using keys::RawValue;

namespace {

constexpr std::array lockWords {"lock", "locks", "lck", "mutex", "lease", "semaphore"};

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/// The first word that begins at `at`: letters up to something else or, in camel case, up to the next capital.
QByteArrayView wordAt(QByteArrayView key, qsizetype at)
{
    qsizetype end = at + 1;
    while (end < key.size() && isLetter(key[end]) && !(isUpper(key[end]) && !isUpper(key[end - 1])))
        ++end;
    return key.sliced(at, end - at);
}

} // namespace

bool hasLockWord(QByteArrayView key)
{
    for (qsizetype at = 0; at < key.size();) {
        if (!isLetter(key[at])) {
            ++at;
            continue;
        }
        const QByteArrayView word = wordAt(key, at);
        if (std::ranges::any_of(lockWords, [&](const char *lockWord) {
                return word.toByteArray().compare(lockWord, Qt::CaseInsensitive) == 0;
            }))
            return true;
        at += word.size();
    }
    return false;
}

std::optional<Recognition> recognise(const base::Key &key, const RawValue &value)
{
    if (key.bytes().endsWith(":fence"))
        return std::nullopt; // The counter beside a lock with fencing numbers: it must never expire.
    if (!value.isWholeString() || !hasLockWord(key.bytes()))
        return std::nullopt;
    const ValueClass valueClass = classify(value.bytes());
    Recognition recognition;
    recognition.confidence = Confidence::Medium;
    recognition.evidence = {QStringLiteral("the key has a word for a lock in it"), describe(valueClass)};
    switch (valueClass) {
    case ValueClass::Constant:
        recognition.id = QStringLiteral("textbook.constant");
        return recognition;
    case ValueClass::UnixSeconds:
        recognition.id = QStringLiteral("classic.setnx-timestamp");
        return recognition;
    case ValueClass::Hex32:
    case ValueClass::Uuid:
        recognition.id = QStringLiteral("lock.token");
        recognition.holder = value.bytes();
        return recognition;
    case ValueClass::Other:
        break;
    }
    return std::nullopt;
}

QString confidenceId(Confidence confidence)
{
    switch (confidence) {
    case Confidence::Low:
        return QStringLiteral("low");
    case Confidence::Medium:
        return QStringLiteral("medium");
    case Confidence::High:
        return QStringLiteral("high");
    case Confidence::Certain:
        return QStringLiteral("certain");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::recognition
