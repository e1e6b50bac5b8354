#include "ui/pages/inspector/holderlocations.h"

#include "core/inspect/recognition/recognitiontexts.h"
#include "core/inspect/recognition/shapes.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace latchkey::ui::inspector {

using keys::KeyType;
using keys::RawValue;
using recognition::LockPattern;
using recognition::Shape;

namespace {

struct HolderLocationText
{
    Q_DECLARE_TR_FUNCTIONS(HolderLocationText)
};

bool fits(const Shape &shape, const RawValue &value)
{
    recognition::KeySample sample;
    sample.type = value.type;
    sample.value = value;
    if (value.type == KeyType::String && !value.isWholeString())
        return false;
    const auto text =
        value.type == KeyType::String ? recognition::unwrap(value.bytes()) : recognition::UnwrappedValue();
    return shape.read({sample, text}).has_value();
}

/// Returns the rank of a shape. Less specific shapes have higher ranks.
int rankOf(const Shape &shape)
{
    const QByteArrayView id(shape.id);
    if (id == "any")
        return 3;
    if (id == "text")
        return 2;
    return id.startsWith("owner") ? 0 : 1;
}

QString textOf(const Shape &shape)
{
    if (QByteArrayView(shape.id) == "any")
        return HolderLocationText::tr("any text: the holder");
    return recognition::RecognitionTexts::shape(shape.id);
}

/// Returns the member names of a JSON object. Members with a text come first, because a number seldom names a holder.
QByteArrayList fieldsOfJson(const QByteArray &text)
{
    QByteArrayList texts;
    QByteArrayList numbers;
    const QJsonObject object = QJsonDocument::fromJson(text).object();
    for (auto member = object.begin(); member != object.end(); ++member) {
        if (member->isString())
            texts += member.key().toUtf8();
        else if (member->isDouble())
            numbers += member.key().toUtf8();
    }
    return texts + numbers;
}

QByteArrayList fieldsOfHash(const RawValue &value)
{
    QByteArrayList fields;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2)
        fields += value.parts[i];
    return fields;
}

} // namespace

std::vector<HolderLocation> holderLocations(KeyType type, const RawValue *value)
{
    std::vector<Shape> shapes = recognition::allShapes();
    std::erase_if(shapes,
                  [&](const Shape &shape) { return shape.type != type || (value != nullptr && !fits(shape, *value)); });
    std::ranges::stable_sort(shapes, {}, &rankOf);
    std::vector<HolderLocation> locations;
    for (const Shape &shape : shapes)
        locations.push_back({textOf(shape), LockPattern::Where::Shape, shape.id, {}});
    if (type == KeyType::String) {
        const QByteArrayList fields = value == nullptr ? QByteArrayList() : fieldsOfJson(value->bytes());
        if (value == nullptr || !fields.isEmpty()) {
            const auto behind = std::ranges::find(locations, QByteArray("owner-json"), &HolderLocation::shape);
            locations.insert(behind == locations.end() ? locations.begin() : behind + 1,
                             {HolderLocationText::tr("a JSON object; the holder is its field"),
                              LockPattern::Where::JsonField,
                              {},
                              fields});
        }
    }
    if (type == KeyType::Hash)
        locations.push_back({HolderLocationText::tr("a hash; the holder is its field"),
                             LockPattern::Where::HashField,
                             {},
                             value == nullptr ? QByteArrayList() : fieldsOfHash(*value)});
    return locations;
}

} // namespace latchkey::ui::inspector
