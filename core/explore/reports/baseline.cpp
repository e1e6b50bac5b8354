#include "core/explore/reports/baseline.h"

#include "core/foundation/files/jsonnode.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace latchkey::reports {

using files::JsonNode;

base::Result<Baseline> Baseline::fromFile(const QString &name, const QByteArray &contents)
{
    try {
        const JsonNode file = JsonNode::ofFile(name, contents);
        file.allowOnly({QStringLiteral("version"), QStringLiteral("broken")});
        (void)file["version"].required().numberWithin(1, 1);
        Baseline baseline;
        for (const JsonNode &entry : file["broken"].required().elements()) {
            entry.allowOnly({QStringLiteral("subject"), QStringLiteral("form"), QStringLiteral("promise")});
            baseline.m_entries.insert(
                {entry["subject"].required().name(), entry["form"].lineOrEmpty(), entry["promise"].required().name()});
        }
        return baseline;
    } catch (const base::Failure &failure) {
        return base::failure(failure.error());
    }
}

QByteArray Baseline::toFile() const
{
    QJsonArray broken;
    for (const Entry &entry : m_entries) {
        QJsonObject object {{QStringLiteral("subject"), entry.subject}, {QStringLiteral("promise"), entry.promise}};
        if (!entry.form.isEmpty())
            object[QStringLiteral("form")] = entry.form;
        broken += object;
    }
    return QJsonDocument(QJsonObject {{QStringLiteral("version"), 1}, {QStringLiteral("broken"), broken}}).toJson();
}

bool Baseline::contains(const ExplorationReport &report, const QString &promise) const
{
    return m_entries.contains({report.subject, report.form, promise});
}

void Baseline::update(const ExplorationReport &report)
{
    for (const CheckedPromise &promise : report.promises) {
        const Entry entry {report.subject, report.form, promise.result.promise};
        if (promise.status() == CheckedPromise::Status::Holds)
            m_entries.erase(entry);
        else if (promise.status() == CheckedPromise::Status::Broken
                 || promise.status() == CheckedPromise::Status::Known)
            m_entries.insert(entry);
    }
}

} // namespace latchkey::reports
