#include "core/inspect/detection/clientlist.h"

#include <optional>

namespace latchkey::detection {

namespace {

/// Calls take(name, value) for each `name=value` between spaces.
template<typename Take>
void forEachField(QByteArrayView fields, const Take &take)
{
    while (!fields.isEmpty()) {
        const qsizetype space = fields.indexOf(' ');
        const QByteArrayView field = space < 0 ? fields : fields.first(space);
        if (const qsizetype equals = field.indexOf('='); equals > 0)
            take(field.first(equals), field.sliced(equals + 1));
        fields = space < 0 ? QByteArrayView() : fields.sliced(space + 1);
    }
}

std::chrono::seconds secondsIn(QByteArrayView text)
{
    return std::chrono::seconds(std::max<qint64>(0, text.toLongLong()));
}

/// Parses a line such as `id=3 addr=127.0.0.1:52314 … name=worker-7 age=180 idle=0 … cmd=set … lib-name=redis-py
/// lib-ver=5.0.1`
std::optional<ConnectedClient> clientFrom(QByteArrayView line)
{
    static const QByteArray nameField = ' ' + QByteArrayLiteral("name=");
    static const QByteArray ageField = ' ' + QByteArrayLiteral("age=");
    const qsizetype name = line.indexOf(nameField); // The first match is used, because the fields before it are not
                                                    // chosen by the client.
    const qsizetype age = line.lastIndexOf(ageField);
    if (name < 0 || age < name + nameField.size())
        return std::nullopt;
    ConnectedClient client;
    bool hasId = false;
    forEachField(line.first(name), [&](QByteArrayView field, QByteArrayView value) {
        if (field == "id")
            client.id = value.toLongLong(&hasId);
        else if (field == "addr")
            client.address = value.toByteArray();
    });
    if (!hasId || client.address.isEmpty())
        return std::nullopt;
    client.name = line.sliced(name + nameField.size(), age - name - nameField.size()).toByteArray();
    forEachField(line.sliced(age), [&](QByteArrayView field, QByteArrayView value) {
        if (field == "age")
            client.age = secondsIn(value);
        else if (field == "idle")
            client.idle = secondsIn(value);
        else if (field == "cmd")
            client.command = value.toByteArray();
        else if (field == "lib-name")
            client.library = value.toByteArray();
        else if (field == "lib-ver")
            client.libraryVersion = value.toByteArray();
    });
    return client;
}

} // namespace

ClientList ClientList::fromReply(const QByteArray &reply)
{
    ClientList list;
    for (QByteArrayView rest = reply; !rest.isEmpty();) {
        const qsizetype end = rest.indexOf('\n');
        const QByteArrayView line = (end < 0 ? rest : rest.first(end)).trimmed();
        rest = end < 0 ? QByteArrayView() : rest.sliced(end + 1);
        if (line.isEmpty())
            continue;
        if (auto client = clientFrom(line))
            list.clients.push_back(std::move(*client));
        else
            list.isComplete = false;
    }
    return list;
}

} // namespace latchkey::detection
