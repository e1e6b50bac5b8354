#include "core/explore/programs/divergence.h"

#include "core/explore/programs/tokenplaceholders.h"

#include <algorithm>

namespace latchkey::programs {

using base::Error;
using base::ErrorKind;
using base::Text;
using races::Offer;
using resp::Command;

namespace {

QString textOf(const std::vector<Offer> &offers)
{
    QStringList texts;
    for (const Offer &offer : withReadableTokens(offers)) {
        for (const Command &command : offer.commands)
            texts += command.toText();
    }
    return texts.isEmpty() ? QStringLiteral("-") : texts.join(QStringLiteral(", "));
}

bool hasDigit(const QByteArray &word)
{
    return std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns whether the offers are equal except for words that are too short to be recognised as tokens.
bool haveShortTokens(const Divergence &divergence)
{
    if (!haveEqualStructure(divergence.before, divergence.now))
        return false;
    bool haveShort = false;
    for (std::size_t i = 0; i < divergence.now.size(); ++i) {
        for (std::size_t c = 0; c < divergence.now[i].commands.size(); ++c) {
            const auto &before = divergence.before[i].commands[c].words();
            const auto &now = divergence.now[i].commands[c].words();
            for (std::size_t w = 0; w < now.size(); ++w) {
                if (before[w] == now[w])
                    continue;
                const bool isShort = std::min(before[w].size(), now[w].size()) < minimumTokenLength;
                const bool looksRandom = hasDigit(before[w]) || hasDigit(now[w]);
                if (w == 0 || !isShort || (divergence.hasTokens && !looksRandom))
                    return false;
                haveShort = true;
            }
        }
    }
    return haveShort;
}

bool usesOtherConnections(const Divergence &divergence)
{
    const auto conversations = [](const std::vector<Offer> &offers) {
        std::vector<int> numbers;
        for (const Offer &offer : offers)
            numbers.push_back(offer.conversation);
        return numbers;
    };
    return !divergence.before.empty() && !divergence.now.empty()
        && conversations(divergence.before) != conversations(divergence.now);
}

} // namespace

Error errorFor(const Divergence &divergence)
{
    const auto sentence = [&divergence](base::TextSource<2> text) {
        return Error {ErrorKind::Protocol, Text(text, textOf(divergence.before), textOf(divergence.now))};
    };
    if (haveShortTokens(divergence))
        return sentence(
            QT_TRANSLATE_NOOP("core", "the program is not deterministic: one process sent %1 and another sent %2; if "
                                      "these differ in a token, it is too short: let it use a token of at least 8 "
                                      "bytes, such as a UUID"));
    if (divergence.hasThreads)
        return sentence(QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies, one "
                                                  "process sent %1 and another sent %2; its threads may act in "
                                                  "changing order: let them wake up at different times, and let each "
                                                  "thread use its own connection"));
    if (usesOtherConnections(divergence))
        return sentence(
            QT_TRANSLATE_NOOP("core", "the program uses its connections in changing order: after the same replies, one "
                                      "process sent %1 and another sent %2; let it use one connection, or each "
                                      "connection in a fixed order"));
    if (divergence.hasTokens)
        return sentence(
            QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies, one process sent %1 "
                                      "and another sent %2; it may act by chance, or order tokens, for example by <: "
                                      "let it compare tokens only for equality"));
    if (divergence.isClockControlled)
        return sentence(
            QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies at the same times, one "
                                      "process sent %1 and another sent %2"));
    return sentence(QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies, one process "
                                              "sent %1 and another sent %2; its clock is not virtual"));
}

} // namespace latchkey::programs
