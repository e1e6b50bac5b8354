#include "ui/pages/inspector/lockpatterndialog.h"

#include "core/inspect/recognition/recognitiontexts.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/keytable/keytext.h"

#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::inspector {

using recognition::LockPattern;
using recognition::Recogniser;
using Where = LockPattern::Where;
using namespace std::chrono_literals;

namespace {

constexpr int patternTextWidth = 560;
constexpr int rowsShown = 5;
constexpr qsizetype maxSiblingKeyLength = 200;
/// Interval of recounts, because keys are created and deleted while the dialog is open. Above `fewKeys`, keys are
/// counted only after a change of the pattern.
constexpr auto countInterval = 1s;
constexpr qint64 fewKeys = 50'000;

} // namespace

LockPatternDialog::LockPatternDialog(theme::Appearance &appearance, recognition::UserDialects &own,
                                     inspection::InspectedServer &server, LockPattern pattern,
                                     const std::optional<QByteArray> &key, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_own(own)
    , m_server(&server)
    , m_first(std::move(pattern))
    , m_key(key)
    , m_type(m_first.type)
    , m_matches(server.store(), this)
    , m_title(new QLineEdit(m_first.title, this))
    , m_keys(new QLineEdit(base::printable(m_first.keys), this))
    , m_location(new QComboBox(this))
    , m_field(new QComboBox(this))
    , m_count(widgets::makePlainLabel(QStringLiteral("patternCount"), {}, this))
    , m_list(new QTreeWidget(this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("patternProblem"), {}, this))
    , m_save(new QPushButton(tr("&Save"), this))
{
    setObjectName(QStringLiteral("lockPatternDialog"));
    setWindowTitle(m_first.id.isEmpty() ? tr("This is a lock") : tr("Change a lock pattern"));
    m_title->setObjectName(QStringLiteral("patternTitle"));
    m_keys->setObjectName(QStringLiteral("patternKeys"));
    m_keys->setFont(appearance.monospaced());
    m_keys->setToolTip(tr("Pattern for the complete key: *, ? and sets such as [a-z]"));
    m_location->setObjectName(QStringLiteral("patternPlace"));
    m_field->setObjectName(QStringLiteral("patternField"));
    m_field->setAccessibleName(tr("Field with the holder"));
    m_field->setEditable(true);
    m_field->setFont(appearance.monospaced());
    m_location->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_field->setInsertPolicy(QComboBox::NoInsert);
    m_save->setObjectName(QStringLiteral("patternSave"));
    offerLocations();
    setUpLayout();
    connectParts();
    locationChosen();
    m_title->setFocus();
    m_title->selectAll();
}

/// Fills the list of locations. The locations depend on the value of the selected key.
void LockPatternDialog::offerLocations()
{
    const auto recognised = m_key ? m_server->locks().lookUp(*m_key) : std::nullopt;
    const keys::RawValue *value = recognised && recognised->sample.value ? &*recognised->sample.value : nullptr;
    if (recognised)
        m_type = recognised->sample.type;
    m_isValueKnown = value != nullptr;
    m_locations = !m_key || m_isValueKnown ? holderLocations(m_type, value) : std::vector<HolderLocation>();
    if (m_locations.empty())
        m_locations.push_back(
            {m_isValueKnown ? tr("of a type that no lock has") : tr("not read yet"), Where::Shape, {}, {}});
    int chosen = 0;
    m_location->clear();
    for (const HolderLocation &location : m_locations) {
        const bool isFirst =
            location.where == m_first.where && (location.where != Where::Shape || location.shape == m_first.detail);
        if (isFirst && !m_first.detail.isEmpty())
            chosen = m_location->count();
        m_location->addItem(location.text);
    }
    m_location->setCurrentIndex(chosen);
}

void LockPatternDialog::setUpLayout()
{
    QLabel *text = widgets::makePlainLabel(QStringLiteral("secondary"),
                                           tr("Keys that match the pattern and hold such a value are shown as these "
                                              "locks, on every server. The pattern is stored in %1.")
                                               .arg(QDir::toNativeSeparators(m_own.file())),
                                           this);
    text->setWordWrap(true);
    text->setMinimumWidth(patternTextWidth);
    auto *place = new QHBoxLayout;
    place->setSpacing(8);
    place->addWidget(m_location, 2);
    place->addWidget(m_field, 1);
    auto *fields = new QFormLayout;
    fields->setHorizontalSpacing(16);
    fields->setVerticalSpacing(10);
    fields->setLabelAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    fields->addRow(tr("&Name of these locks"), m_title);
    fields->addRow(tr("&Keys"), m_keys);
    auto *placeLabel = new QLabel(tr("The &value is"), this);
    placeLabel->setBuddy(m_location);
    fields->addRow(placeLabel, place);

    m_list->setObjectName(QStringLiteral("patternList"));
    m_list->setAccessibleName(tr("Matching keys and their holders"));
    m_list->setHeaderLabels({tr("Key"), tr("Holder")});
    m_list->setRootIsDecorated(false);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setUniformRowHeights(true);
    m_list->setSelectionMode(QAbstractItemView::NoSelection);
    m_list->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_list->setFixedHeight(m_list->header()->sizeHint().height() + (rowsShown + 1) * (fontMetrics().height() + 8));
    m_problem->setWordWrap(true);
    m_problem->setMinimumWidth(patternTextWidth);

    auto *cancel = new QPushButton(tr("&Cancel"), this);
    cancel->setObjectName(QStringLiteral("patternCancel"));
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    m_save->setDefault(true);
    m_save->setProperty("kind", QStringLiteral("primary"));
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), windowTitle(), this));
    layout->addWidget(text);
    layout->addLayout(fields);
    layout->addWidget(m_count);
    layout->addWidget(m_list);
    layout->addWidget(m_problem);
    layout->addLayout(buttons);
}

void LockPatternDialog::connectParts()
{
    connect(m_title, &QLineEdit::textChanged, this, &LockPatternDialog::refresh);
    connect(m_keys, &QLineEdit::textChanged, this, &LockPatternDialog::refresh);
    connect(m_location, &QComboBox::currentIndexChanged, this, &LockPatternDialog::locationChosen);
    connect(m_field, &QComboBox::currentTextChanged, this, &LockPatternDialog::refresh);
    connect(m_save, &QPushButton::clicked, this, &LockPatternDialog::save);
    connect(&m_matches, &NameMatches::counted, this, &LockPatternDialog::showMatches);
    connect(&m_own, &recognition::UserDialects::changed, this, &LockPatternDialog::refresh);
    connect(m_server, &QObject::destroyed, this, &QDialog::reject); // The dialog shows data of the server, which no
                                                                    // longer exists.
    auto *again = new QTimer(this);
    connect(again, &QTimer::timeout, this, [this] {
        if (m_key && !m_isValueKnown && m_server) {
            const QSignalBlocker quiet(m_location);
            offerLocations();
            locationChosen();
        }
        if (m_matches.isComplete() && m_matches.examined() <= fewKeys)
            m_matches.count(recognition::wholeKey(pattern().keys));
    });
    again->start(countInterval);
}

void LockPatternDialog::locationChosen()
{
    const HolderLocation &location = m_locations[static_cast<std::size_t>(std::max(0, m_location->currentIndex()))];
    const bool wantsField = location.where != Where::Shape;
    {
        const QSignalBlocker quiet(m_field);
        const QString before = m_field->currentText();
        m_field->clear();
        for (const QByteArray &field : location.fields)
            m_field->addItem(base::printable(field));
        if (!before.isEmpty())
            m_field->setCurrentText(before);
        else if (m_first.where == location.where)
            m_field->setCurrentText(base::printable(m_first.detail));
    }
    m_field->setVisible(wantsField);
    refresh();
}

LockPattern LockPatternDialog::pattern() const
{
    const HolderLocation &location = m_locations[static_cast<std::size_t>(std::max(0, m_location->currentIndex()))];
    LockPattern pattern = m_first;
    pattern.id = m_id;
    pattern.type = m_type;
    pattern.title = m_title->text();
    pattern.keys = base::fromPrintable(m_keys->text());
    pattern.where = location.where;
    pattern.detail = location.where == Where::Shape ? location.shape : base::fromPrintable(m_field->currentText());
    return pattern;
}

void LockPatternDialog::refresh()
{
    m_id = m_first.id.isEmpty() ? m_own.newId(m_title->text()) : m_first.id;
    const auto dialects = m_own.problem() ? base::failure(*m_own.problem()) : m_own.with(pattern());
    m_recogniser.reset();
    if (dialects)
        m_recogniser.emplace(*dialects);
    widgets::setWrapped(*m_problem, dialects ? QString() : widgets::sentence(dialects.error().message()),
                        patternTextWidth);
    m_save->setEnabled(dialects.has_value());
    m_matches.count(recognition::wholeKey(pattern().keys));
}

void LockPatternDialog::showMatches()
{
    if (!m_server)
        return;
    const QString found = QLocale().toString(m_matches.matching());
    const QString all = QLocale().toString(m_matches.examined());
    m_count->setText(m_matches.isComplete() ? tr("%1 of %2 known keys match:").arg(found, all)
                                            : tr("At least %1 of the known keys match…").arg(found));
    if (m_matches.isComplete())
        readListed();
    showList();
}

/// Requests the values of listed keys that have not been read yet.
void LockPatternDialog::readListed()
{
    QList<QByteArray> wishes;
    for (const QByteArray &key : m_matches.listed()) {
        const auto recognised = m_server->locks().lookUp(key);
        if (recognised && !recognised->sample.value && !m_requested.contains(key))
            wishes += key;
    }
    m_requested += QSet<QByteArray>(wishes.begin(), wishes.end());
    if (!wishes.isEmpty())
        m_server->watcher().requestValues(wishes);
}

void LockPatternDialog::showList()
{
    QList<QByteArray> keys = m_matches.listed();
    if (m_key) { // The key of the dialog comes first, whether it matches the pattern or not.
        keys.removeAll(*m_key);
        keys.prepend(*m_key);
    }
    while (m_list->topLevelItemCount() > keys.size())
        delete m_list->takeTopLevelItem(m_list->topLevelItemCount() - 1);
    while (m_list->topLevelItemCount() < keys.size())
        m_list->addTopLevelItem(new QTreeWidgetItem);
    const base::Glob names = recognition::wholeKey(pattern().keys);
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        const QByteArray &key = keys[row];
        const QString holder = !names.matches(key) ? tr("does not match")
                             : m_recogniser        ? holderOf(key, *m_recogniser)
                                                   : QString();
        QTreeWidgetItem &item = *m_list->topLevelItem(row);
        item.setText(0, keytable::keyText(key, maxSiblingKeyLength));
        item.setText(1, holder);
        item.setToolTip(0, widgets::toolTipText(item.text(0)));
        item.setToolTip(1, widgets::toolTipText(holder));
        item.setFont(0, m_appearance.monospaced());
    }
}

QString LockPatternDialog::holderOf(const QByteArray &key, const Recogniser &recogniser) const
{
    const auto recognised = m_server->locks().lookUp(key);
    if (!recognised)
        return tr("no longer exists");
    if (recognised->sample.type != m_type && recognised->sample.type != keys::KeyType::Unknown)
        return tr("holds a %1").arg(keytable::typeText(recognised->sample.type));
    if (!recognised->sample.value)
        return tr("not read yet");
    const recognition::Recognition found = recogniser.recognise(recognised->sample);
    const bool isOurs =
        std::ranges::any_of(found.candidates, [&](const auto &candidate) { return candidate.dialect == m_id; });
    if (!isOurs)
        return tr("holds another value");
    if (!found.decoded.isHolderRecorded || found.decoded.holders.empty())
        return tr("not recorded");
    QStringList holders;
    for (const recognition::Holder &holder : found.decoded.holders)
        holders += recognition::RecognitionTexts::holder(holder);
    return holders.join(QLatin1String(", "));
}

void LockPatternDialog::save()
{
    if (const auto saved = m_own.put(pattern()); !saved) {
        widgets::setWrapped(*m_problem, widgets::sentence(saved.error().message()), patternTextWidth);
        return;
    }
    accept();
}

} // namespace latchkey::ui::inspector
