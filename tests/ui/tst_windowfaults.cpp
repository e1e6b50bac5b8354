#include "tests/support/faults.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QAbstractButton>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>

namespace tst_windowfaults {

using namespace latchkey;
using test::Fault;
using test::FaultyServer;
using test::MainWindowFixture;
using ui::widgets::Pill;

namespace {

/// A window on a server with a fault.
class FaultyWindow final
{
public:
    explicit FaultyWindow(const Fault &fault)
        : m_fault(fault)
        , m_server(fault)
    {
        auto endpoint = net::Endpoint::fromUrl(m_server.url()).value();
        if (fault.password != nullptr)
            endpoint.password = QString::fromLatin1(fault.password);
        m_fixture.workspace.open(endpoint);
    }

    /// Whether the window shows the reason, or both locks if the fault does not affect reading. Records false claims.
    [[nodiscard]] bool isSaid()
    {
        recordClaims();
        static const QStringList both {QStringLiteral("lock:a"), QStringLiteral("lock:b")};
        if (m_fault.ls == 0)
            return m_fixture.keys() == both;
        const QRegularExpression sentence(QString::fromUtf8(m_fault.sentence),
                                          QRegularExpression::CaseInsensitiveOption);
        return sentence.match(said()).hasMatch();
    }
    [[nodiscard]] bool isOver() const
    {
        return m_fixture.rows() == 2 && !said().contains(QLatin1String("Incomplete view"))
            && m_fixture.widget<Pill>("connectionState").text() == u"connected";
    }
    void end()
    {
        m_canEnd = m_server.end(m_fault);
        if (m_canEnd)
            m_fixture.workspace.inspected()->session().retryNow();
    }
    [[nodiscard]] bool canEnd() const { return m_canEnd; }
    [[nodiscard]] QString claims() const { return m_claims.join(QStringLiteral(" | ")); }
    [[nodiscard]] QByteArray context() const
    {
        return QByteArray(m_fault.name) + ": rows " + QByteArray::number(m_fixture.rows()) + "; " + said().toUtf8();
    }
    [[nodiscard]] QString said() const
    {
        const auto &pill = m_fixture.widget<Pill>("connectionState");
        QStringList all {pill.text(), pill.toolTip(), test::bannerText(m_fixture)};
        for (const QLabel *label : m_fixture.window.findChildren<QLabel *>()) {
            if (label->isVisible() && !label->text().isEmpty())
                all += label->text();
        }
        return all.join(QStringLiteral(" / "));
    }

private:
    void recordClaims()
    {
        static const QRegularExpression permission(QStringLiteral("[Nn]o permission to read|does not permit reading"));
        static const QRegularExpression claim(
            QStringLiteral("No keys here|No key has gone|[Nn]o locks?\\b|^0 |\\b0 keys|\\b0 locks"));
        if (m_fault.ls == 0)
            return;
        QStringList all;
        for (const QLabel *label : m_fixture.window.findChildren<QLabel *>())
            all += label->isVisible() ? label->text() : QString();
        for (const QAbstractButton *button : m_fixture.window.findChildren<QAbstractButton *>())
            all += button->isVisible() && button->objectName() != u"commandsPerSecond" ? button->text() : QString();
        for (const QString &text : std::as_const(all)) {
            const bool isFalse = text.contains(claim) || (!m_fault.isOfPermission() && text.contains(permission));
            if (isFalse && !m_claims.contains(text))
                m_claims += text;
        }
    }

    const Fault &m_fault;
    FaultyServer m_server;
    MainWindowFixture m_fixture;
    QStringList m_claims;
    bool m_canEnd = false;
};

/// Adds rows of a few faults each, because every new window restyles all windows.
void addRows(const char *table, const std::vector<Fault> &faults)
{
    constexpr std::size_t most = 6;
    for (std::size_t first = 0; first < faults.size(); first += most) {
        const auto begin = faults.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = static_cast<std::ptrdiff_t>(std::min(most, faults.size() - first));
        QTest::addRow("%s from %s", table, begin->name) << std::vector<Fault>(begin, begin + count);
    }
}

} // namespace

/// Tests of the window on servers with faults. The window must name the reason and must not claim that unseen keys are
/// absent. The faults of a row run in parallel, because the windows mostly wait.
class TestWindowFaults final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFault_isReportedAndEnds_data()
    {
        QTest::addColumn<std::vector<Fault>>("faults");
        addRows("connecting", test::faultsOfConnecting());
        addRows("permission", test::faultsOfPermission());
        addRows("state", test::faultsOfState());
        addRows("replies", test::faultsOfReplies());
        addRows("silence", test::faultsOfSilence());
        addRows("missing replies", test::faultsOfMissingReplies());
    }
    void everyFault_isReportedAndEnds()
    {
        QFETCH(const std::vector<Fault>, faults);
        std::vector<std::unique_ptr<FaultyWindow>> windows;
        for (const Fault &fault : faults)
            windows.push_back(std::make_unique<FaultyWindow>(fault));
        QByteArrayList complaints;
        std::vector<bool> said(windows.size());
        (void)test::waitFor([&] {
            for (std::size_t i = 0; i < windows.size(); ++i)
                said[i] = windows[i]->isSaid() || said[i];
            return std::ranges::find(said, false) == said.end();
        });
        for (std::size_t i = 0; i < windows.size(); ++i) {
            if (!said[i])
                complaints += "not said: " + windows[i]->context();
            if (!windows[i]->claims().isEmpty())
                complaints += "claimed: " + windows[i]->context() + " ## " + windows[i]->claims().toUtf8();
            windows[i]->end();
        }
        const auto isOver = [](const auto &window) { return !window->canEnd() || window->isOver(); };
        (void)test::waitFor([&] { return std::ranges::all_of(windows, isOver); });
        for (const auto &window : windows) {
            if (!isOver(window))
                complaints += "not over: " + window->context();
        }
        QVERIFY2(complaints.isEmpty(), complaints.join("\n").constData());
    }
};

LATCHKEY_WINDOW_TEST(TestWindowFaults)

} // namespace tst_windowfaults

Q_DECLARE_METATYPE(std::vector<latchkey::test::Fault>)

#include "tst_windowfaults.moc"
