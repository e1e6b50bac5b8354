#include "app/cli/exploreforms.h"

#include "app/help/commandline.h"
#include "core/redis/net/dialer.h"
#include "core/redis/privateserver/privateserver.h"

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using locks::CompareForm;

namespace {

constexpr auto dialTimeout = std::chrono::seconds(30);

/// Returns the form with a single command that the finder's servers support.
Result<CompareForm> singleForm()
{
    privateserver::PrivateServer server;
    if (const auto started = server.startAndWait(); !started)
        return failure(started.error());
    const auto dialled = net::dialBlocking(server.endpoint(), dialTimeout);
    if (!dialled)
        return failure(dialled.error());
    const CompareForm form = locks::likelyCompareForm(dialled->server);
    if (form == CompareForm::Script)
        return failure(
            ErrorKind::Local,
            CommandLine::tr(
                "--form: %1 has no single command that compares; Valkey has one since 9.0, and Redis since 8.4")
                .arg(dialled->server.display()));
    return form;
}

} // namespace

Result<std::vector<CompareForm>> exploredForms(const Arguments &arguments)
{
    const QString word = arguments.isSet("form") ? arguments.text("form") : QStringLiteral("script");
    if (word == u"script")
        return std::vector {CompareForm::Script};
    if (word != u"single" && word != u"both")
        return failure(ErrorKind::Usage, CommandLine::tr("--form %1: neither script nor single nor both").arg(word));
    const auto single = singleForm();
    if (!single)
        return failure(single.error());
    return word == u"both" ? std::vector {CompareForm::Script, *single} : std::vector {*single};
}

QString formText(CompareForm form)
{
    return form == CompareForm::Script ? CommandLine::tr("by script")
                                       : CommandLine::tr("by %1").arg(locks::compareFormId(form).toUpper());
}

} // namespace latchkey::cli
