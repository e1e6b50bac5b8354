#pragma once

#include "core/recognition/sighting.h"

#include <QJsonObject>

#include <vector>

namespace latchkey::test {

/// A lock library at work on a real server, as it was recorded: what stood in every key, and what was left, over time.
/// It answers what an inspector would have been answered at any moment. A value type.
class Recording final
{
public:
    /// What is recorded as a lock.
    struct Held
    {
        QByteArray key;
        QString dialect;
        QByteArrayList holders;
        qint64 count = 0; ///< 0: not said.
    };

    explicit Recording(const QJsonObject &object);

    /// All of tests/recognition/recorded-locks.json.
    [[nodiscard]] static std::vector<Recording> all();

    [[nodiscard]] const QString &library() const { return m_library; }
    [[nodiscard]] const std::vector<Held> &held() const { return m_held; }
    [[nodiscard]] QByteArrayList keys() const { return m_keys.keys(); }

    /// At which times PTTL was asked while the key was there.
    [[nodiscard]] std::vector<std::chrono::milliseconds> looks(const QByteArray &key) const;
    /// What had been seen of a key by then, without companions.
    [[nodiscard]] recognition::Sighting sighting(const QByteArray &key, std::chrono::milliseconds at) const;
    [[nodiscard]] recognition::Companion companion(const QByteArray &key, std::chrono::milliseconds at) const;
    [[nodiscard]] recognition::Surroundings surroundings(std::chrono::milliseconds at) const;

private:
    struct TimedValue
    {
        std::chrono::milliseconds at;
        keys::RawValue value;
    };
    struct TimedLeft
    {
        std::chrono::milliseconds at;
        std::optional<std::chrono::milliseconds> left;
    };
    struct KeyStory
    {
        std::vector<TimedValue> values;
        std::vector<TimedLeft> looks;
        std::chrono::milliseconds gone = std::chrono::milliseconds::max();
    };
    struct TimedText
    {
        std::chrono::milliseconds at;
        QByteArray text;
        int change = 1;
    };

    void readKey(const QJsonObject &object);
    void readCommands(const QJsonArray &commands);
    [[nodiscard]] std::optional<keys::RawValue> valueAt(const KeyStory &story, std::chrono::milliseconds at) const;

    QString m_library;
    std::vector<Held> m_held;
    QHash<QByteArray, KeyStory> m_keys;
    std::vector<TimedText> m_scripts;  // Known from then on.
    std::vector<TimedText> m_channels; // One listener more or less.
    base::WallTime m_start;            // When its time is 0.
};

} // namespace latchkey::test
