#include "ui/pages/inspector/keychangetext.h"

#include "ui/views/keytable/keytext.h"

#include <QLocale>

#include <array>

namespace latchkey::ui::inspector {

using watching::ChangeOutcome;

namespace {

constexpr qsizetype maxActionKeyLength = 80;
constexpr qsizetype maxListedKeyLength = 40;
constexpr qsizetype maxListed = 5;

QString doneText(KeyChangeKind kind, const QString &key)
{
    switch (kind) {
    case KeyChangeKind::Delete:
        return KeyChangeText::tr("%1 was deleted.").arg(key);
    case KeyChangeKind::SetExpiry:
        return KeyChangeText::tr("The expiry of %1 was set.").arg(key);
    case KeyChangeKind::Release:
        return KeyChangeText::tr("%1 was released.").arg(key);
    case KeyChangeKind::Restore:
        return KeyChangeText::tr("%1 was restored.").arg(key);
    case KeyChangeKind::RestoreExpiry:
        return KeyChangeText::tr("The previous expiry of %1 was restored.").arg(key);
    }
    Q_UNREACHABLE();
}

/// Returns the sentence that the change was not made on `key`.
QString leftText(KeyChangeKind kind, const QString &key)
{
    switch (kind) {
    case KeyChangeKind::Delete:
        return KeyChangeText::tr("%1 was not deleted").arg(key);
    case KeyChangeKind::SetExpiry:
        return KeyChangeText::tr("The expiry of %1 was not set").arg(key);
    case KeyChangeKind::Release:
        return KeyChangeText::tr("%1 was not released").arg(key);
    case KeyChangeKind::Restore:
        return KeyChangeText::tr("%1 was not restored").arg(key);
    case KeyChangeKind::RestoreExpiry:
        return KeyChangeText::tr("The previous expiry of %1 was not restored").arg(key);
    }
    Q_UNREACHABLE();
}

/// Returns the reason why the change was not made.
QString reasonText(KeyChangeKind kind, ChangeOutcome outcome)
{
    switch (outcome) {
    case ChangeOutcome::Changed:
        return kind == KeyChangeKind::RestoreExpiry ? KeyChangeText::tr("it was changed in the meantime")
                                                    : KeyChangeText::tr("it has changed since it was displayed");
    case ChangeOutcome::NotApplied:
        return KeyChangeText::tr("the condition for the new expiry is not met, or the expiry is already set");
    case ChangeOutcome::Taken:
        return KeyChangeText::tr("another client has acquired it in the meantime");
    case ChangeOutcome::TooLate:
        return KeyChangeText::tr("the previous expiry has passed");
    case ChangeOutcome::Done:
    case ChangeOutcome::Gone:
        break;
    }
    return {};
}

QString textOfOne(KeyChangeKind kind, const KeyChangeResult &one)
{
    const QString key = keytable::keyText(one.key.bytes(), maxActionKeyLength);
    if (!one.outcome)
        return KeyChangeText::tr("%1: %2").arg(leftText(kind, key), one.outcome.error().message());
    switch (*one.outcome) {
    case ChangeOutcome::Done:
        return doneText(kind, key);
    case ChangeOutcome::Gone:
        return KeyChangeText::tr("%1 no longer exists.").arg(key);
    case ChangeOutcome::Changed:
    case ChangeOutcome::NotApplied:
    case ChangeOutcome::Taken:
    case ChangeOutcome::TooLate:
        return KeyChangeText::tr("%1: %2.").arg(leftText(kind, key), reasonText(kind, *one.outcome));
    }
    Q_UNREACHABLE();
}

QString countOf(KeyChangeKind kind, ChangeOutcome outcome, int count)
{
    switch (outcome) {
    case ChangeOutcome::Done:
        switch (kind) {
        case KeyChangeKind::Delete:
            return KeyChangeText::tr("%Ln deleted", nullptr, count);
        case KeyChangeKind::SetExpiry:
            return KeyChangeText::tr("expiry of %Ln set", nullptr, count);
        case KeyChangeKind::Release:
            return KeyChangeText::tr("%Ln released", nullptr, count);
        case KeyChangeKind::Restore:
            return KeyChangeText::tr("%Ln restored", nullptr, count);
        case KeyChangeKind::RestoreExpiry:
            return KeyChangeText::tr("previous expiry of %Ln restored", nullptr, count);
        }
        Q_UNREACHABLE();
    case ChangeOutcome::Changed:
        return KeyChangeText::tr("%Ln changed in the meantime", nullptr, count);
    case ChangeOutcome::Gone:
        return count == 1 ? KeyChangeText::tr("1 no longer exists")
                          : KeyChangeText::tr("%Ln no longer exist", nullptr, count);
    case ChangeOutcome::NotApplied:
        return KeyChangeText::tr("%Ln unchanged", nullptr, count);
    case ChangeOutcome::Taken:
        return KeyChangeText::tr("%Ln acquired by another client", nullptr, count);
    case ChangeOutcome::TooLate:
        return KeyChangeText::tr("previous expiry of %Ln has passed", nullptr, count);
    }
    Q_UNREACHABLE();
}

/// A count of keys, with the names of the first ones.
struct Listed
{
    int count = 0;
    QStringList names;

    void add(const base::Key &key)
    {
        if (++count <= maxListed)
            names += keytable::keyText(key.bytes(), maxListedKeyLength);
        else if (count == maxListed + 1)
            names += QStringLiteral("…");
    }
    [[nodiscard]] QString text() const { return names.join(KeyChangeText::tr(", ")); }
};

} // namespace

QString resultText(KeyChangeKind kind, std::span<const KeyChangeResult> results, int leftOut)
{
    if (results.size() == 1 && leftOut == 0)
        return textOfOne(kind, results.front());
    constexpr std::array outcomes {ChangeOutcome::Done,    ChangeOutcome::Changed,    ChangeOutcome::Taken,
                                   ChangeOutcome::TooLate, ChangeOutcome::NotApplied, ChangeOutcome::Gone};
    QStringList parts;
    for (const ChangeOutcome outcome : outcomes) {
        Listed listed;
        for (const KeyChangeResult &one : results) {
            if (one.outcome == outcome)
                listed.add(one.key);
        }
        if (listed.count == 0)
            continue;
        const QString count = countOf(kind, outcome, listed.count);
        parts += outcome == ChangeOutcome::Done ? count : KeyChangeText::tr("%1: %2").arg(count, listed.text());
    }
    Listed failed;
    QString why;
    for (const KeyChangeResult &one : results) {
        if (one.outcome)
            continue;
        failed.add(one.key);
        why = one.outcome.error().message();
    }
    if (failed.count > 0)
        parts += KeyChangeText::tr("%Ln failed: %1 (%2)", nullptr, failed.count).arg(failed.text(), why);
    if (leftOut > 0)
        parts += KeyChangeText::tr("%Ln not changed, because you cancelled", nullptr, leftOut);
    return parts.isEmpty() ? QString() : KeyChangeText::tr("%1.").arg(parts.join(KeyChangeText::tr("; ")));
}

QString readProgressText(int done, int all)
{
    return all == 1
             ? KeyChangeText::tr("Reading the key…")
             : KeyChangeText::tr("Reading the keys: %1 of %2").arg(QLocale().toString(done), QLocale().toString(all));
}

QString progressText(KeyChangeKind kind, int done, int all)
{
    const QString count = KeyChangeText::tr("%1 of %2").arg(QLocale().toString(done), QLocale().toString(all));
    switch (kind) {
    case KeyChangeKind::Delete:
        return KeyChangeText::tr("Deleting: %1").arg(count);
    case KeyChangeKind::SetExpiry:
        return KeyChangeText::tr("Setting the expiry: %1").arg(count);
    case KeyChangeKind::Release:
        return KeyChangeText::tr("Releasing: %1").arg(count);
    case KeyChangeKind::Restore:
        return KeyChangeText::tr("Restoring: %1").arg(count);
    case KeyChangeKind::RestoreExpiry:
        return KeyChangeText::tr("Restoring the previous expiry: %1").arg(count);
    }
    Q_UNREACHABLE();
}

QString notReleasedText(const base::Key &key, const QString &reason)
{
    return KeyChangeText::tr("%1: %2.").arg(
        leftText(KeyChangeKind::Release, keytable::keyText(key.bytes(), maxActionKeyLength)), reason);
}

} // namespace latchkey::ui::inspector
