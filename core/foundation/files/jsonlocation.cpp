#include "core/foundation/files/jsonlocation.h"

#include <QSet>

#include <algorithm>

namespace latchkey::files {

namespace {

/// A cursor in a text that is valid JSON.
class Walk final
{
public:
    explicit Walk(const QByteArray &text)
        : m_text(text)
    {
        skipSpace();
    }

    [[nodiscard]] qsizetype at() const { return m_at; }
    /// Returns the end of the current value.
    [[nodiscard]] qsizetype end() const
    {
        Walk walk(*this);
        walk.skipValue();
        return walk.m_at;
    }

    /// Returns the offset of the first repeated name in the current value. Moves after the value if there is none.
    std::optional<qsizetype> repeatedName()
    {
        if (m_at >= m_text.size() || (m_text[m_at] != '[' && m_text[m_at] != '{')) {
            skipValue();
            return std::nullopt;
        }
        const bool isArray = m_text[m_at] == '[';
        QSet<QByteArray> names;
        for (++m_at;; ++m_at) { // Moves after the bracket or the comma.
            skipSpace();
            if (m_at < m_text.size() && !isArray && m_text[m_at] != '}') {
                const qsizetype name = m_at;
                skipText();
                const qsizetype known = names.size();
                names.insert(m_text.sliced(name, m_at - name));
                if (names.size() == known)
                    return name;
                skipSpace();
                ++m_at; // Skips the colon.
                skipSpace();
            }
            if (m_at < m_text.size() && m_text[m_at] != ']' && m_text[m_at] != '}') {
                if (const auto repeated = repeatedName())
                    return repeated;
                skipSpace();
            }
            if (m_at >= m_text.size() || m_text[m_at] != ',') {
                ++m_at;
                return std::nullopt;
            }
        }
    }

    /// Moves to a member or an element of the current value. Does not move if it does not exist.
    bool moveTo(const QString &step)
    {
        const qsizetype start = m_at;
        const bool wantsElement = m_text.at(m_at) == '[';
        const qsizetype wanted = wantsElement ? step.mid(1).chopped(1).toLongLong() : 0;
        ++m_at;
        for (qsizetype i = 0;; ++i) {
            skipSpace();
            if (m_at >= m_text.size() || m_text[m_at] == ']' || m_text[m_at] == '}')
                break;
            bool isIt = wantsElement && i == wanted;
            if (!wantsElement) {
                const qsizetype name = m_at;
                skipText();
                isIt = m_text.sliced(name + 1, m_at - name - 2) == step.toUtf8();
                skipSpace();
                ++m_at; // Skips the colon.
                skipSpace();
            }
            if (isIt)
                return true;
            skipValue();
            skipSpace();
            if (m_at < m_text.size() && m_text[m_at] == ',')
                ++m_at;
        }
        m_at = start;
        return false;
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && QByteArrayView(" \t\r\n").contains(m_text[m_at]))
            ++m_at;
    }
    void skipText()
    {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
            m_at += m_text[m_at] == '\\' ? 1 : 0;
        ++m_at;
    }
    void skipValue()
    {
        int depth = 0;
        do {
            const char c = m_at < m_text.size() ? m_text[m_at] : '}';
            if (c == '"') {
                skipText();
            } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                return;
            } else {
                depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
                ++m_at;
            }
        } while (depth > 0 || (m_at < m_text.size() && !QByteArrayView(",]} \t\r\n").contains(m_text[m_at])));
    }

    const QByteArray &m_text;
    qsizetype m_at = 0;
};

} // namespace

int lineAt(const QByteArray &contents, qsizetype offset)
{
    return 1
         + static_cast<int>(std::count(contents.begin(), contents.begin() + std::min(offset, contents.size()), '\n'));
}

int columnAt(const QByteArray &contents, qsizetype offset)
{
    const QByteArray before = contents.first(std::min(offset, contents.size()));
    return 1 + static_cast<int>(QString::fromUtf8(before.mid(before.lastIndexOf('\n') + 1)).toUcs4().size());
}

std::optional<qsizetype> repeatedNameIn(const QByteArray &contents)
{
    return Walk(contents).repeatedName();
}

JsonLocation locateInJson(const QByteArray &contents, const QStringList &path)
{
    Walk walk(contents);
    for (const QString &step : path) {
        if (!walk.moveTo(step))
            break;
    }
    return {walk.at(), walk.end() - walk.at()};
}

int lineOfJson(const QByteArray &contents, const QStringList &path)
{
    return lineAt(contents, locateInJson(contents, path).at);
}

} // namespace latchkey::files
