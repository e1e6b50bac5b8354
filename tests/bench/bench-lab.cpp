// The window's part of the Expiry lab's benchmark: an experiment with every recipe on a private server, from the click
// on Run to its end.
//
//   bench-lab KEYS     KEYS keys of each recipe. Prints the delay of the event loop, and the status: the number of
//                      keys, which of them ended, and the round trip that limits the precision of a key's lateness

#include "tests/bench/benchwindow.h"
#include "tests/bench/loopdelay.h"
#include "ui/pages/lab/experimentpanel.h"

#include <QApplication>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

using namespace bench;
using namespace std::chrono_literals;

int main(int argc, char *argv[])
{
    if (argc < 2)
        fail(QStringLiteral("see the comment at the top of its source"));
    QApplication application(argc, argv);
    Window window(application);
    window.window.resize(1600, 1000);
    window.window.show();
    window.window.showPage(ui::shell::MainWindow::LabIndex);
    const auto &panel = *window.window.findChild<ui::lab::ExperimentPanel *>();
    panel.findChild<QSpinBox *>(QStringLiteral("labKeys"))->setValue(std::atoi(argv[1]));
    auto *const start = panel.findChild<QPushButton *>(QStringLiteral("labStart"));
    const auto *const status = panel.findChild<QLabel *>(QStringLiteral("labStatus"));

    LoopDelay delay;
    QTimer timer;
    bool hasRun = false;
    QObject::connect(&timer, &QTimer::timeout, &application, [&] {
        hasRun = hasRun || start->text() == u"Cancel";
        if (!hasRun || start->text() == u"Cancel")
            return;
        delay.stop();
        const QJsonObject result {{QStringLiteral("longest_ms"), delay.quantile(1)},
                                  {QStringLiteral("p99_ms"), delay.quantile(0.99)},
                                  {QStringLiteral("status"), status->text()}};
        std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
        std::fflush(stdout);
        QCoreApplication::quit();
    });
    QTimer::singleShot(1s, &application, [&] {
        delay.start();
        start->click();
        timer.start(100ms);
    });
    return QApplication::exec();
}
