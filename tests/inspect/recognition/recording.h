#pragma once

#include "core/inspect/recognition/keysample.h"

#include <QJsonObject>

#include <vector>

namespace latchkey::test {

/// A recording of a lock library on a real server: the values and the time left of all keys over time. It gives the
/// answers that an inspector would have received at any time. A value type.
class Recording final
{
public:
    /// A lock in the recording.
    struct Held
    {
        QByteArray key;
        QString dialect;
        QByteArrayList holders;
        qint64 count = 0; ///< Hold count; 0: unspecified.
    };

    explicit Recording(const QJsonObject &object);

    /// Reads all recordings of tests/inspect/recognition/recorded-locks.json.
    [[nodiscard]] static std::vector<Recording> all();

    [[nodiscard]] const QString &library() const { return m_library; }
    [[nodiscard]] const std::vector<Held> &held() const { return m_held; }
    [[nodiscard]] QByteArrayList keys() const { return m_keys.keys(); }

    /// Returns the times of PTTL requests while the key existed.
    [[nodiscard]] std::vector<std::chrono::milliseconds> looks(const QByteArray &key) const;
    /// Returns the sample of a key at that time, without companions.
    [[nodiscard]] recognition::KeySample sample(const QByteArray &key, std::chrono::milliseconds at) const;
    [[nodiscard]] recognition::Companion companion(const QByteArray &key, std::chrono::milliseconds at) const;
    [[nodiscard]] recognition::ServerContext serverContext(std::chrono::milliseconds at) const;

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
    std::vector<TimedText> m_scripts;  // Known from that time on.
    std::vector<TimedText> m_channels; // Changes of the number of subscribers.
    base::WallTime m_start;            // Wall-clock time of the recording's time 0.
};

} // namespace latchkey::test
