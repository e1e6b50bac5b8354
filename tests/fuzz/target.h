#pragma once

#include "core/foundation/base/error.h"

#include <QByteArrayView>
#include <QString>

#include <span>
#include <stdexcept>

/// Fuzz targets: functions that read arbitrary bytes as input from other programs, servers and people.
namespace latchkey::fuzz {

/// Violation of a target's property. An uncaught exception ends the fuzzer, which then saves the input.
class Broken final : public std::logic_error
{
public:
    using std::logic_error::logic_error;
};

/// Throws Broken with the property's name unless the condition is true.
inline void require(bool condition, const char *property)
{
    if (!condition)
        throw Broken(property);
}

/// Throws Broken unless terminals show every character of the text and interpret none.
void requireShown(const QString &text, const char *property);

/// Throws Broken unless the error is a usage error and its message begins with the file's name.
void requireRefusal(const base::Error &error, const QString &file);

/// A fuzz target: its name, which is also its folder in tests/fuzz/corpus, and its function.
struct Target
{
    const char *name;
    void (*run)(QByteArrayView bytes);
    int mutations; ///< Number per corpus file in the test. Lower for targets with slow inputs.
};

[[nodiscard]] std::span<const Target> targets();
/// Returns the target with this name, or null if there is none.
[[nodiscard]] const Target *targetNamed(QByteArrayView name);

void fuzzReplies(QByteArrayView bytes);
void fuzzUrl(QByteArrayView bytes);
void fuzzPasted(QByteArrayView bytes);
void fuzzServers(QByteArrayView bytes);
void fuzzDialects(QByteArrayView bytes);
void fuzzPatterns(QByteArrayView bytes);
void fuzzRecogniser(QByteArrayView bytes);
void fuzzStory(QByteArrayView bytes);
void fuzzScenario(QByteArrayView bytes);
void fuzzRecording(QByteArrayView bytes);
void fuzzOrders(QByteArrayView bytes);
void fuzzReports(QByteArrayView bytes);
void fuzzExpectations(QByteArrayView bytes);
void fuzzClients(QByteArrayView bytes);
void fuzzInfo(QByteArrayView bytes);

} // namespace latchkey::fuzz
