#include "ui/pages/recording/transportbar.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/pages/recording/timeslider.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>

#include <algorithm>
#include <array>
#include <limits>

namespace latchkey::ui::recording {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

constexpr std::array speeds {0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0};
constexpr int defaultSpeed = 2;
/// Limits of the steps. An arrow key moves by a hundredth of the length, Page Up and Page Down by a tenth.
constexpr int minStep = 100; // Milliseconds, like the next two constants.
constexpr int maxStep = 1000;
constexpr int maxPageStep = 60'000;

/// Formats a time: "1:02:03" for a recording of an hour or more, "0:07.3" for a shorter one.
QString positionText(nanoseconds time, nanoseconds length)
{
    const auto tenths = time / 100ms;
    const auto two = [](qint64 number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); };
    if (length >= 1h)
        return QStringLiteral("%1:%2:%3").arg(tenths / 36000).arg(two(tenths / 600 % 60), two(tenths / 10 % 60));
    return QStringLiteral("%1:%2.%3").arg(tenths / 600).arg(two(tenths / 10 % 60)).arg(tenths % 10);
}

int wholeMilliseconds(nanoseconds time)
{
    return static_cast<int>(std::min<qint64>(time / 1ms, std::numeric_limits<int>::max()));
}

} // namespace

TransportBar::TransportBar(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_start(new QPushButton(this))
    , m_play(new QPushButton(this))
    , m_speed(new QComboBox(this))
    , m_slider(new TimeSlider(this))
    , m_wall(new QLabel(this))
    , m_time(new QLabel(this))
{
    name();
    setUpLayout();
    connect(m_start, &QPushButton::clicked, this, [this] { Q_EMIT positionChosen({}); });
    connect(m_play, &QPushButton::clicked, this, [this] { Q_EMIT playRequested(!m_isPlaying); });
    connect(m_speed, &QComboBox::activated, this, [this] { Q_EMIT speedChosen(m_speed->currentData().toDouble()); });
    connect(m_slider, &QSlider::valueChanged, this, &TransportBar::choosePosition);
    connect(m_slider, &QSlider::sliderMoved, this, [this](int value) { showTime(milliseconds(value)); });
    auto *space = new QShortcut(Qt::Key_Space, m_slider);
    space->setContext(Qt::WidgetShortcut);
    connect(space, &QShortcut::activated, m_play, &QPushButton::click);
    // This is not the shortcut of the button, which changes with the text of the button.
    connect(new QShortcut(Qt::CTRL | Qt::Key_Space, this), &QShortcut::activated, m_play, &QPushButton::click);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &TransportBar::updateTexts);
    connect(&m_appearance, &theme::Appearance::changed, this, &TransportBar::applyAppearance);
    updateTexts();
    applyAppearance();
}

void TransportBar::name()
{
    setObjectName(QStringLiteral("transport"));
    m_start->setObjectName(QStringLiteral("transportStart"));
    m_start->setProperty("kind", QStringLiteral("quiet"));
    m_start->setAccessibleName(tr("To the start"));
    m_start->setToolTip(tr("To the start"));
    m_play->setObjectName(QStringLiteral("transportPlay"));
    m_speed->setObjectName(QStringLiteral("transportSpeed"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("Replay speed"));
    for (const double speed : speeds)
        m_speed->addItem(QString(), speed);
    m_speed->setCurrentIndex(defaultSpeed);
    m_slider->setObjectName(QStringLiteral("transportTime"));
    m_slider->setAccessibleName(tr("Time in the recording"));
    m_wall->setObjectName(QStringLiteral("transportWall"));
    m_time->setObjectName(QStringLiteral("transportText"));
    m_time->setTextFormat(Qt::PlainText);
    m_wall->setTextFormat(Qt::PlainText);
}

void TransportBar::setUpLayout()
{
    setAttribute(Qt::WA_StyledBackground);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(24, 10, 24, 10);
    layout->setSpacing(8);
    layout->addWidget(m_start);
    layout->addWidget(m_play);
    layout->addWidget(m_speed);
    layout->addSpacing(8);
    layout->addWidget(m_wall);
    layout->addWidget(m_slider, 1);
    layout->addWidget(m_time);
}

/// Sets the texts with placeholders, and texts that change.
void TransportBar::updateTexts()
{
    for (int i = 0; i < m_speed->count(); ++i)
        m_speed->setItemText(
            i,
            tr("%1\u00D7", "a speed: so many times as fast").arg(QLocale().toString(m_speed->itemData(i).toDouble())));
    m_play->setText(m_isPlaying ? tr("Pause") : tr("Play"));
    m_play->setToolTip(tr("Play or pause (Space in the table and on the slider, else Ctrl+Space)"));
    m_slider->setToolTip(tr("Arrow keys, or Ctrl+Left and Ctrl+Right, move the time"));
    // Width of the longer text, so that nothing beside the button moves.
    const QFontMetrics metrics = m_play->fontMetrics();
    const int wider = std::max(metrics.horizontalAdvance(tr("Pause")), metrics.horizontalAdvance(tr("Play")));
    constexpr int iconAndPadding = 60;
    m_play->setFixedWidth(wider + iconAndPadding);
}

void TransportBar::applyAppearance()
{
    m_start->setIcon(m_appearance.icon(QStringLiteral("to-start")));
    m_play->setIcon(m_appearance.icon(m_isPlaying ? QStringLiteral("pause") : QStringLiteral("play")));
    m_wall->setFont(m_appearance.monospaced());
    m_time->setFont(m_appearance.monospaced());
}

void TransportBar::setPlaying(bool isPlaying)
{
    if (m_isPlaying == isPlaying)
        return;
    m_isPlaying = isPlaying;
    updateTexts();
    applyAppearance();
}

void TransportBar::setPosition(nanoseconds position, nanoseconds length, const QString &wall)
{
    m_length = length;
    m_wall->setText(wall);
    if (m_slider->isSliderDown())
        return; // The time label shows the position of the drag.
    const QSignalBlocker blocker(m_slider);
    const int maximum = wholeMilliseconds(length);
    m_slider->setMaximum(maximum);
    m_slider->setSingleStep(std::clamp(maximum / 100, minStep, maxStep));
    m_slider->setPageStep(std::clamp(maximum / 10, m_slider->singleStep(), maxPageStep));
    m_slider->setValue(wholeMilliseconds(position));
    showTime(position);
}

/// Emits the chosen position. The maximum means the end of the recording, which need not be a whole millisecond.
void TransportBar::choosePosition(int value)
{
    Q_EMIT positionChosen(value == m_slider->maximum() ? m_length : milliseconds(value));
}

void TransportBar::showTime(nanoseconds position)
{
    const QString text =
        QStringLiteral("%1 / %2").arg(positionText(position, m_length), positionText(m_length, m_length));
    if (text == m_time->text())
        return;
    m_time->setText(text);
    m_slider->setAccessibleDescription(text); // The slider value, in milliseconds, is hard to understand.
}

void TransportBar::step(bool isForward)
{
    const int by = m_slider->singleStep();
    Q_EMIT positionChosen(milliseconds(m_slider->value() + (isForward ? by : -by)));
}

void TransportBar::takeFocus()
{
    m_slider->setFocus(Qt::OtherFocusReason);
}

} // namespace latchkey::ui::recording
