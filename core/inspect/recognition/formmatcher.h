#pragma once

#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/templates.h"

namespace latchkey::recognition {

/// The truth value of a condition. Unknown: more data must be read first.
enum class TriState : quint8 { No, Unknown, Yes };

/// The examination of one sample, which compares the sample with one form after the other.
///
/// Created by a Recogniser for one recognition; it refers to its arguments.
class FormMatcher final
{
public:
    FormMatcher(const KeySample &sample, const ServerContext &serverContext, const NameClassifier &nameClassifier);

    /// The match of a form with the sample.
    struct FormMatch
    {
        Candidate candidate;
        LockContent decoded;
        bool isCandidate = false; ///< False if the form has only requests, whose replies could make it a candidate.
        std::vector<ReadRequest> requests;
    };
    /// Returns the match of a form with the sample; absent if the form is impossible.
    [[nodiscard]] std::optional<FormMatch> match(const Dialect &dialect, const Form &form);

    [[nodiscard]] const NameClassifier::Found &name() const { return m_found; }
    /// Returns the key's name without a wrapper, one character per byte.
    [[nodiscard]] const QString &text() const { return m_nameText; }

private:
    struct ConditionResult
    {
        TriState truth = TriState::Yes;
        std::vector<Evidence> evidence;
        std::vector<ReadRequest> requests;

        void add(TriState part) { truth = std::min(truth, part); }
        void add(bool part) { add(part ? TriState::Yes : TriState::No); }
    };

    [[nodiscard]] bool matchesName(const Form &form);
    [[nodiscard]] std::optional<LockContent> readValue(const Form &form) const;
    [[nodiscard]] std::optional<LockContent> readField(const QByteArray &field) const;
    [[nodiscard]] std::optional<LockContent> readPattern(const QRegularExpression &pattern) const;
    void addFencing(LockContent &decoded) const;
    void addWaiting(FormMatch &match, const Form &form) const;

    [[nodiscard]] ConditionResult check(const Dialect &dialect, const Form &form, const Condition &condition,
                                        const LockContent &decoded) const;
    void checkName(ConditionResult &result, const Condition &condition) const;
    void checkLease(ConditionResult &result, const Condition &condition) const;
    void checkHistory(ConditionResult &result, const Dialect &dialect, const Condition &condition,
                      const LockContent &decoded) const;
    void checkCompanions(ConditionResult &result, const Condition &condition) const;
    void checkScripts(ConditionResult &result, const Dialect &dialect) const;
    void checkSubscribers(ConditionResult &result, const QByteArray &channel) const;

    [[nodiscard]] bool isPlainName() const { return !m_found.isEveryday; }
    /// Returns the longest observed TTL. Absent if there is no expiry or it is unknown.
    [[nodiscard]] std::optional<std::chrono::milliseconds> lease() const;
    [[nodiscard]] std::optional<qint64> subscribersOf(const QByteArray &channel) const;

    const KeySample &m_sample;
    const ServerContext &m_serverContext;
    UnwrappedValue m_name;
    QString m_nameText;
    NameClassifier::Found m_found;
    ShapeInput m_reading;
    const Variables m_everyForms; ///< Variables common to all forms.
    Variables m_variables;        ///< Variables of the current form.
};

} // namespace latchkey::recognition
