// Replaces keychain.cpp in builds without QtKeychain.

#include "core/redis/connections/keychain.h"

#include <QMetaObject>
#include <QObject>

namespace latchkey::connections {

namespace {

template<typename Answer>
void refuse(QObject &context, std::function<void(const Answer &)> done)
{
    QMetaObject::invokeMethod(
        &context,
        [done = std::move(done)] {
            done(base::failure(base::ErrorKind::Local,
                               QT_TRANSLATE_NOOP("core", "this Latchkey was built without QtKeychain, and keeps no "
                                                         "passwords; give the password by hand")));
        },
        Qt::QueuedConnection);
}

} // namespace

bool isKeychainBuiltIn()
{
    return false;
}

void readKeychain(const QString & /*server*/, QObject &context, std::function<void(const base::Result<Secrets> &)> done)
{
    refuse(context, std::move(done));
}

void writeKeychain(const QString & /*server*/, const Secrets & /*secrets*/, QObject &context,
                   std::function<void(const base::Result<void> &)> done)
{
    refuse(context, std::move(done));
}

void clearKeychain(const QString & /*server*/, QObject &context, std::function<void(const base::Result<void> &)> done)
{
    refuse(context, std::move(done));
}

} // namespace latchkey::connections
