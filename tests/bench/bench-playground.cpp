// The window's part of the Playground's benchmarks: twenty working clients, four for each lock.
//
//   bench-playground URL work SECONDS    the share of a core that the window uses
//   bench-playground URL scroll          scrolls the diagram while the clients work: the time from the moment a frame
//                                        is due until it is painted
//   bench-playground URL crash           the time from the click on Crash until the process has ended, for each client
//   bench-playground URL memory SECONDS  the growth of the process's memory in that time, after a first minute

#include "tests/bench/benchwindow.h"
#include "ui/pages/playground/clientcard.h"
#include "ui/views/diagram/diagramview.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QJsonDocument>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>

using namespace bench;
using namespace std::chrono_literals;
using ui::diagram::DiagramView;
using ui::playground::ClientCard;

namespace {

constexpr int clients = 20;

/// Prints the result and ends the process in order, because it must stop its servers and clients.
void finish(const QJsonObject &result)
{
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
    QCoreApplication::quit();
}

/// Returns the resident memory of this process in KiB.
qint64 memory()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        fail(status.errorString());
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.sliced(6).trimmed().split(' ').front().toLongLong();
    }
    fail(QStringLiteral("the system does not say how large a process is"));
}

/// Starts twenty clients and their work, and calls `then` five seconds later.
class AtWork final : public QObject
{
public:
    AtWork(ui::shell::MainWindow &window, std::function<void()> then)
        : m_window(window)
        , m_then(std::move(then))
    {
        m_window.showPage(ui::shell::MainWindow::PlaygroundIndex);
        connect(&m_timer, &QTimer::timeout, this, &AtWork::look);
        m_timer.start(100ms);
    }

private:
    void look()
    {
        auto *add = m_window.findChild<QPushButton *>(QStringLiteral("addClient"));
        const auto cards = m_window.findChildren<ClientCard *>();
        if (cards.size() < clients) {
            if (add->isEnabled())
                add->click();
            return;
        }
        for (const ClientCard *card : cards) {
            if (card->client().state() != playground::ClientProcess::State::Idle)
                return;
        }
        m_timer.stop();
        int number = 0;
        for (const ClientCard *card : cards)
            begin(*card, number++ / 4);
        QTimer::singleShot(5s, this, [this] { m_then(); });
    }

    static void begin(const ClientCard &card, int lock)
    {
        const auto fill = [&card](const char *field, const QString &text) {
            card.findChild<QLineEdit *>(QLatin1String(field))->setText(text);
        };
        fill("clientKey", QStringLiteral("lock:%1").arg(lock));
        fill("wait", QStringLiteral("20s"));
        fill("work", QStringLiteral("300ms"));
        card.findChild<QCheckBox *>(QStringLiteral("automatic"))->setChecked(true);
        card.findChild<QPushButton *>(QStringLiteral("acquire"))->click();
    }

    ui::shell::MainWindow &m_window;
    std::function<void()> m_then;
    QTimer m_timer;
};

void measureWork(std::chrono::seconds time)
{
    static const double before = cpuSeconds();
    QTimer::singleShot(time, Qt::PreciseTimer, [time] {
        finish({{QStringLiteral("share"), (cpuSeconds() - before) / std::chrono::duration<double>(time).count()}});
    });
}

void measureMemory(std::chrono::seconds time)
{
    QTimer::singleShot(1min, [time] {
        static const qint64 before = memory();
        QTimer::singleShot(time, [] {
            finish({{QStringLiteral("before_kib"), before}, {QStringLiteral("grown_kib"), memory() - before}});
        });
    });
}

void measureCrash(const ui::shell::MainWindow &window)
{
    static std::vector<double> samples;
    static const QList<ClientCard *> cards = window.findChildren<ClientCard *>();
    static std::function<void()> next = [] {
        if (samples.size() == clients) {
            QJsonObject result;
            reportSamples(result, samples);
            finish(result);
            return;
        }
        const ClientCard *card = cards[static_cast<qsizetype>(samples.size())];
        const MonotonicTime clicked = now();
        QObject::connect(&card->client(), &playground::ClientProcess::changed, card, [card, clicked] {
            if (card->client().state() != playground::ClientProcess::State::Dead)
                return;
            samples.push_back(std::chrono::duration<double, std::milli>(now() - clicked).count());
            card->client().disconnect(card);
            QTimer::singleShot(100ms, next);
        });
        card->findChild<QPushButton *>(QStringLiteral("crash"))->click();
    };
    next();
}

void measureScroll(const ui::shell::MainWindow &window)
{
    static constexpr auto frame = 16'667us;
    constexpr int frames = 600;
    static std::vector<double> samples;
    static QTimer timer;
    static int number = 0;
    static MonotonicTime start;
    static auto *const diagram = window.findChild<DiagramView *>();
    diagram->setFollowing(false);
    timer.setTimerType(Qt::PreciseTimer);
    timer.setSingleShot(true);
    QObject::connect(&timer, &QTimer::timeout, [] {
        const MonotonicTime due = start + number * frame;
        QScrollBar &bar = *diagram->verticalScrollBar();
        // Mostly small steps as by the wheel; every tenth step jumps to a distant place.
        bar.setValue(number % 10 == 9 ? (number * 7919 * 13) % std::max(1, bar.maximum()) : bar.value() + 7);
        diagram->viewport()->repaint();
        samples.push_back(std::chrono::duration<double, std::milli>(now() - due).count());
        if (++number == frames) {
            QJsonObject result;
            reportSamples(result, samples);
            finish(result);
            return;
        }
        // A frame that could not be painted in time is skipped, as a screen does.
        if (now() > start + number * frame)
            start = now() - number * frame + 1ms;
        timer.start(std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(start + number * frame - now())));
    });
    start = now();
    timer.start(0ms);
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 3)
        fail(QStringLiteral("see the comment at the top of its source"));
    QApplication application(argc, argv);
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(argv[1]));
    if (!endpoint)
        fail(endpoint.error().message());
    Window window(application);
    window.window.resize(1600, 1000);
    window.window.show();
    window.workspace.open(*endpoint);
    const QByteArray what = argv[2];
    const std::chrono::seconds time(argc > 3 ? std::atoi(argv[3]) : 0);
    const AtWork atWork(window.window, [&] {
        if (what == "work")
            measureWork(time);
        else if (what == "memory")
            measureMemory(time);
        else if (what == "crash")
            measureCrash(window.window);
        else if (what == "scroll")
            measureScroll(window.window);
        else
            fail(QStringLiteral("no such measurement"));
    });
    return QApplication::exec();
}
