#pragma once

#include "core/recognition/dialects.h"
#include "core/recognition/templates.h"

namespace latchkey::recognition {

/// What is known of a condition: also that it is not known yet, and what to ask.
enum class Truth : quint8 { No, Unknown, Yes };

/// One sighting, examined for one form after the other.
///
/// Made by a Recogniser for the time of one recognition; it refers to what it was given.
class Examination final
{
public:
    Examination(const Sighting &sighting, const Surroundings &surroundings, const NameScreen &screen);

    /// How a form fits: nothing where it cannot.
    struct Fit
    {
        Candidate candidate;
        Decoded decoded;
        bool isCandidate = false; ///< Else there are only questions, whose answers could make it one.
        std::vector<Question> questions;
    };
    [[nodiscard]] std::optional<Fit> fit(const Dialect &dialect, const Form &form);

    [[nodiscard]] const NameScreen::Found &name() const { return m_found; }
    /// The key's name without a wrapper, a character for each byte.
    [[nodiscard]] const QString &text() const { return m_nameText; }

private:
    struct Verdict
    {
        Truth truth = Truth::Yes;
        std::vector<Evidence> evidence;
        std::vector<Question> questions;

        void add(Truth part) { truth = std::min(truth, part); }
        void add(bool part) { add(part ? Truth::Yes : Truth::No); }
    };

    [[nodiscard]] bool matchesName(const Form &form);
    [[nodiscard]] std::optional<Decoded> readValue(const Form &form) const;
    [[nodiscard]] std::optional<Decoded> readField(const QByteArray &field) const;
    [[nodiscard]] std::optional<Decoded> readPattern(const QRegularExpression &pattern) const;
    void addFencing(Decoded &decoded) const;
    void addWaiting(Fit &fit, const Form &form) const;

    [[nodiscard]] Verdict judge(const Dialect &dialect, const Form &form, const Condition &condition,
                                const Decoded &decoded) const;
    void judgeName(Verdict &verdict, const Condition &condition) const;
    void judgeLease(Verdict &verdict, const Condition &condition) const;
    void judgeHabits(Verdict &verdict, const Dialect &dialect, const Condition &condition,
                     const Decoded &decoded) const;
    void judgeCompanions(Verdict &verdict, const Condition &condition) const;
    void judgeScripts(Verdict &verdict, const Dialect &dialect) const;
    void judgeSubscribers(Verdict &verdict, const QByteArray &channel) const;

    [[nodiscard]] bool isPlainName() const { return !m_found.isEveryday; }
    /// The most that was left at any time; absent: it does not expire, or that is not known.
    [[nodiscard]] std::optional<std::chrono::milliseconds> lease() const;
    [[nodiscard]] std::optional<qint64> subscribersOf(const QByteArray &channel) const;

    const Sighting &m_sighting;
    const Surroundings &m_surroundings;
    Unwrapped m_name;
    QString m_nameText;
    NameScreen::Found m_found;
    Reading m_reading;
    const Variables m_everyForms; ///< Those that all forms have.
    Variables m_variables;        ///< Of the form under examination.
};

} // namespace latchkey::recognition
