#include "core/recipes/locks/compareform.h"

#include <array>

namespace latchkey::locks {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

struct Form
{
    CompareForm form;
    const char *id;
    const char *product; ///< Product that supports the form; null: all products.
    QVersionNumber since;
};

const std::array<Form, 3> &forms()
{
    static const std::array<Form, 3> table {Form {CompareForm::Script, "script", nullptr, {}},
                                            Form {CompareForm::DelIfEq, "delifeq", "Valkey", QVersionNumber(9, 0)},
                                            Form {CompareForm::DelEx, "delex", "Redis", QVersionNumber(8, 4)}};
    return table;
}

} // namespace

QString compareFormId(CompareForm form)
{
    return QLatin1String(forms().at(static_cast<std::size_t>(form)).id);
}

Result<CompareForm> findCompareForm(const QString &id)
{
    QStringList ids;
    for (const Form &each : forms()) {
        if (id == QLatin1String(each.id))
            return each.form;
        ids += QLatin1String(each.id);
    }
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "unknown form \"%1\"; there are %2"), id,
                   ids.join(QStringLiteral(", ")));
}

CompareForm likelyCompareForm(const resp::ServerInfo &server)
{
    for (const Form &each : forms()) {
        if (each.product != nullptr && server.product == QLatin1String(each.product) && server.version >= each.since)
            return each.form;
    }
    return CompareForm::Script;
}

} // namespace latchkey::locks
