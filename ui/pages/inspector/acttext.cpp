#include "ui/pages/inspector/acttext.h"

#include "ui/views/keytable/keytext.h"

#include <QLocale>

#include <array>

namespace latchkey::ui::inspector {

using watching::ActOutcome;

namespace {

constexpr qsizetype longestActKey = 80;
constexpr qsizetype longestListedKey = 40;
constexpr qsizetype mostListed = 5;

QString doneText(ActKind kind, const QString &key)
{
    switch (kind) {
    case ActKind::Delete:
        return ActText::tr("%1 was deleted.").arg(key);
    case ActKind::SetExpiry:
        return ActText::tr("The expiry of %1 was set.").arg(key);
    case ActKind::Release:
        return ActText::tr("%1 was released.").arg(key);
    case ActKind::PutBack:
        return ActText::tr("%1 was restored.").arg(key);
    case ActKind::RestoreExpiry:
        return ActText::tr("The previous expiry of %1 was restored.").arg(key);
    }
    Q_UNREACHABLE();
}

/// Returns the sentence that the act was not performed on `key`.
QString leftText(ActKind kind, const QString &key)
{
    switch (kind) {
    case ActKind::Delete:
        return ActText::tr("%1 was not deleted").arg(key);
    case ActKind::SetExpiry:
        return ActText::tr("The expiry of %1 was not set").arg(key);
    case ActKind::Release:
        return ActText::tr("%1 was not released").arg(key);
    case ActKind::PutBack:
        return ActText::tr("%1 was not restored").arg(key);
    case ActKind::RestoreExpiry:
        return ActText::tr("The previous expiry of %1 was not restored").arg(key);
    }
    Q_UNREACHABLE();
}

/// Returns the reason why the act was not performed.
QString reasonText(ActKind kind, ActOutcome outcome)
{
    switch (outcome) {
    case ActOutcome::Changed:
        return kind == ActKind::RestoreExpiry ? ActText::tr("it was changed in the meantime")
                                              : ActText::tr("it has changed since it was displayed");
    case ActOutcome::NotApplied:
        return ActText::tr("the condition for the new expiry is not met, or the expiry is already set");
    case ActOutcome::Taken:
        return ActText::tr("another client has acquired it in the meantime");
    case ActOutcome::TooLate:
        return ActText::tr("the previous expiry has passed");
    case ActOutcome::Done:
    case ActOutcome::Gone:
        break;
    }
    return {};
}

QString textOfOne(ActKind kind, const ActedOn &one)
{
    const QString key = keytable::keyText(one.key.bytes(), longestActKey);
    if (!one.outcome)
        return ActText::tr("%1: %2").arg(leftText(kind, key), one.outcome.error().message());
    switch (*one.outcome) {
    case ActOutcome::Done:
        return doneText(kind, key);
    case ActOutcome::Gone:
        return ActText::tr("%1 no longer exists.").arg(key);
    case ActOutcome::Changed:
    case ActOutcome::NotApplied:
    case ActOutcome::Taken:
    case ActOutcome::TooLate:
        return ActText::tr("%1: %2.").arg(leftText(kind, key), reasonText(kind, *one.outcome));
    }
    Q_UNREACHABLE();
}

QString countOf(ActKind kind, ActOutcome outcome, int count)
{
    switch (outcome) {
    case ActOutcome::Done:
        switch (kind) {
        case ActKind::Delete:
            return ActText::tr("%Ln deleted", nullptr, count);
        case ActKind::SetExpiry:
            return ActText::tr("expiry of %Ln set", nullptr, count);
        case ActKind::Release:
            return ActText::tr("%Ln released", nullptr, count);
        case ActKind::PutBack:
            return ActText::tr("%Ln restored", nullptr, count);
        case ActKind::RestoreExpiry:
            return ActText::tr("previous expiry of %Ln restored", nullptr, count);
        }
        Q_UNREACHABLE();
    case ActOutcome::Changed:
        return ActText::tr("%Ln changed in the meantime", nullptr, count);
    case ActOutcome::Gone:
        return ActText::tr("%Ln no longer exist", nullptr, count);
    case ActOutcome::NotApplied:
        return ActText::tr("%Ln unchanged", nullptr, count);
    case ActOutcome::Taken:
        return ActText::tr("%Ln acquired by another client", nullptr, count);
    case ActOutcome::TooLate:
        return ActText::tr("previous expiry of %Ln has passed", nullptr, count);
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
        if (++count <= mostListed)
            names += keytable::keyText(key.bytes(), longestListedKey);
        else if (count == mostListed + 1)
            names += QStringLiteral("…");
    }
    [[nodiscard]] QString text() const { return names.join(ActText::tr(", ")); }
};

} // namespace

QString actedText(ActKind kind, std::span<const ActedOn> acted, int leftOut)
{
    if (acted.size() == 1 && leftOut == 0)
        return textOfOne(kind, acted.front());
    constexpr std::array outcomes {ActOutcome::Done,    ActOutcome::Changed,    ActOutcome::Taken,
                                   ActOutcome::TooLate, ActOutcome::NotApplied, ActOutcome::Gone};
    QStringList parts;
    for (const ActOutcome outcome : outcomes) {
        Listed listed;
        for (const ActedOn &one : acted) {
            if (one.outcome == outcome)
                listed.add(one.key);
        }
        if (listed.count == 0)
            continue;
        const QString count = countOf(kind, outcome, listed.count);
        parts += outcome == ActOutcome::Done ? count : ActText::tr("%1: %2").arg(count, listed.text());
    }
    Listed failed;
    QString why;
    for (const ActedOn &one : acted) {
        if (one.outcome)
            continue;
        failed.add(one.key);
        why = one.outcome.error().message();
    }
    if (failed.count > 0)
        parts += ActText::tr("%Ln failed: %1 (%2)", nullptr, failed.count).arg(failed.text(), why);
    if (leftOut > 0)
        parts += ActText::tr("%Ln not changed, because you cancelled", nullptr, leftOut);
    return parts.isEmpty() ? QString() : ActText::tr("%1.").arg(parts.join(ActText::tr("; ")));
}

QString lookingText(int done, int all)
{
    return all == 1 ? ActText::tr("Reading the key…")
                    : ActText::tr("Reading the keys: %1 of %2").arg(QLocale().toString(done), QLocale().toString(all));
}

QString progressText(ActKind kind, int done, int all)
{
    const QString count = ActText::tr("%1 of %2").arg(QLocale().toString(done), QLocale().toString(all));
    switch (kind) {
    case ActKind::Delete:
        return ActText::tr("Deleting: %1").arg(count);
    case ActKind::SetExpiry:
        return ActText::tr("Setting the expiry: %1").arg(count);
    case ActKind::Release:
        return ActText::tr("Releasing: %1").arg(count);
    case ActKind::PutBack:
        return ActText::tr("Restoring: %1").arg(count);
    case ActKind::RestoreExpiry:
        return ActText::tr("Restoring the previous expiry: %1").arg(count);
    }
    Q_UNREACHABLE();
}

QString notReleasedText(const base::Key &key, const QString &reason)
{
    return ActText::tr("%1: %2.").arg(leftText(ActKind::Release, keytable::keyText(key.bytes(), longestActKey)),
                                      reason);
}

} // namespace latchkey::ui::inspector
