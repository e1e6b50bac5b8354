#include "core/inspect/recording/reader.h"
#include "core/inspect/recording/recordingwriter.h"
#include "core/inspect/recording/replayclock.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QBuffer>
#include <QTemporaryDir>
#include <QTest>

namespace tst_recordingformat {

using namespace latchkey;
using namespace latchkey::recording;
using base::Deadline;
using base::MonotonicTime;
using events::Observation;
using events::Observations;
using events::Source;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// A device that accepts a limited number of bytes, like a full disk.
class SmallDisk final : public QIODevice
{
public:
    explicit SmallDisk(qint64 room, QByteArray &written)
        : m_room(room)
        , m_written(written)
    {
        open(QIODevice::WriteOnly | QIODevice::Unbuffered);
    }

protected:
    qint64 readData(char *, qint64) override { return -1; }
    qint64 writeData(const char *data, qint64 size) override
    {
        const qint64 taken = std::min(size, m_room - m_written.size());
        m_written.append(data, taken);
        if (taken < size)
            setErrorString(QStringLiteral("No space left on device"));
        return taken > 0 ? taken : -1;
    }

private:
    const qint64 m_room;
    QByteArray &m_written;
};

} // namespace

/// The file of a recording: written data is read back, and damage is reported.
class TestRecordingFormat final : public QObject
{
    Q_OBJECT

    const MonotonicTime zero {100s};

    /// Returns a recognition in which no flag has its usual value.
    static recognition::Recognition unusualLock()
    {
        recognition::Recognition recognition;
        recognition.candidates.push_back({QStringLiteral("lock.token"), recognition::Confidence::High, {}});
        recognition.decoded.holders.emplace_back().bytes = "#1234";
        recognition.decoded.isHolderRecorded = false;
        recognition.decoded.isConstant = recognition.decoded.isPartial = recognition.decoded.isOverfull = true;
        return recognition;
    }

    static std::unique_ptr<Reader> readerOf(const QByteArray &bytes)
    {
        auto buffer = std::make_unique<QBuffer>();
        buffer->setData(bytes);
        buffer->open(QIODevice::ReadOnly);
        auto reader = Reader::open(std::move(buffer));
        return reader ? std::move(*reader) : nullptr;
    }
    static QString refusal(const QByteArray &bytes)
    {
        auto buffer = std::make_unique<QBuffer>();
        buffer->setData(bytes);
        buffer->open(QIODevice::ReadOnly);
        const auto reader = Reader::open(std::move(buffer));
        return reader ? QString() : reader.error().message();
    }
    static QByteArray headingLine(bool hasValues = true)
    {
        return Encoder::heading({QStringLiteral("0.1.0"), QStringLiteral("redis://db.example:6379"),
                                 base::WallTime(1'700'000'000'123ms), hasValues});
    }
    Observations everything() const
    {
        const MonotonicTime at = zero + 5s;
        const keys::RawValue value {keys::KeyType::Hash, 3, {"field", QByteArray("\xff\x00", 2), "more", ""}};
        Observations all;
        const auto add = [&](events::ObservationContent content, Source source, const QByteArray &key = "lock:a") {
            all.push_back({key, std::move(content), at, at + 3ms, source, source == Source::Scan});
        };
        add(events::ExistsOnly {}, Source::Scan);
        add(events::Exists {Deadline(zero + 35s, 250us), true}, Source::NotifiedRead);
        add(events::Exists {Deadline::never()}, Source::Poll, QByteArray("\xfe\x00key", 5));
        add(events::TypeReply {keys::KeyType::SortedSet}, Source::Read);
        add(events::ValueReply {value}, Source::Read, "lock:\xd7\x90");
        add(events::ChangeNotification {"expired"}, Source::Notification);
        add(events::FieldExpiries {{{{QByteArray("\xff\x00", 2), Deadline(zero + 9s, 1ms)},
                                     {"b", Deadline(zero + 10s, 2ms)}},
                                    3,
                                    4,
                                    50,
                                    false,
                                    Deadline(zero + 11s, 3ms)}},
            Source::Read, "hash");
        add(events::IdleTime {3700s}, Source::Read, "hash");
        add(events::AccessDenied {}, Source::OwnCommand);
        add(events::Gone {}, Source::Poll);
        return all;
    }
    /// Returns a coverage with all its parts.
    events::Coverage::Parts coverage() const
    {
        using events::KeyRequest;
        const base::Error lost {base::ErrorKind::ConnectionLost, base::Text(QStringLiteral("lost"))};
        const base::Error refused {base::ErrorKind::PermissionDenied,
                                   base::Text(QT_TRANSLATE_NOOP("core", "cannot read %1: %2"), QStringLiteral("a"), 7)};
        events::Coverage::Parts parts;
        parts.isScanComplete = true;
        parts.scannedKeys = 17;
        parts.databaseSize = 19;
        parts.denied = {{KeyRequest::Expiry, refused, true}, {KeyRequest::Changes, lost, false}};
        parts.gaps = {{zero - 1h, zero - 30min, lost, {}}, {zero + 1s, {}, refused, KeyRequest::Expiry}};
        parts.lag = 1234ms;
        return parts;
    }
    /// Returns a recording with one entry of each kind and the end.
    QByteArray recordingOfAll() const
    {
        Encoder encoder(zero);
        WatchState watched;
        watched.phase = Watcher::Phase::Watching;
        watched.mechanism = watching::EventSource::Mechanism::Tracking;
        watched.keysScanned = 17;
        watched.newKeyDelay = 250ms;
        watched.eventDelay = 123'456ns;
        watched.lastScanBegan = zero - 2s;
        watched.processSince = zero + 5s + 3ms;
        watched.problem = QStringLiteral("no permission");
        watched.server = QStringLiteral("Redis 7.2.4");
        net::Connection::Delivery delivery;
        delivery.replies = {resp::Reply::bulk("a\r\nb"),
                            resp::Reply::array({resp::Reply::integer(7), resp::Reply::nil()})};
        delivery.sent = zero + 1s;
        delivery.received = zero + 2s;
        QByteArray file = headingLine();
        const auto add = [&](auto what) { file += encoder.line({zero + 5s + 4ms, std::move(what)}); };
        add(watched);
        add(Covered {coverage(), true});
        add(events::EventCoverage {events::EventCoverage::Depth::Keys, true, zero + 1s, true});
        add(everything());
        add(FlushReceived {zero + 2s, events::FlushKind::All});
        add(ReceivedUpTo {zero + 3s});
        add(EmptyDatabase {zero + 4s, zero + 5s});
        add(ReplyEntry {{{"INFO"}, {"CONFIG", "GET", "save"}}, delivery});
        add(OwnChangeEntry {"lock:a",
                            {history::OwnChange::Kind::ExpirySet, {zero + 1s, zero + 2s}, Deadline(zero + 9s, 1ms)}});
        add(RecognitionEntry {"lock:a", {keys::KeyType::String, 3, {"#1234"}, true}, unusualLock()});
        add(DisplayMark {});
        add(EndMarker {});
        return file;
    }

private Q_SLOTS:
    void observations_surviveARoundTrip()
    {
        const auto reader = readerOf(recordingOfAll());
        QVERIFY(reader);
        QCOMPARE(reader->heading().server, QStringLiteral("redis://db.example:6379"));
        QCOMPARE(reader->heading().started, base::WallTime(1'700'000'000'123ms));
        const auto moved = ReplayClock::zero - zero; // All times are those of the replay.
        const auto watched = reader->next();
        QVERIFY(watched && std::holds_alternative<WatchState>(watched->what));
        QCOMPARE(watched->at, zero + 5s + 4ms + moved);
        QCOMPARE(std::get<WatchState>(watched->what).newKeyDelay, std::optional(250ms));
        QCOMPARE(std::get<WatchState>(watched->what).eventDelay, std::optional<std::chrono::nanoseconds>(123'456ns));
        QCOMPARE(std::get<WatchState>(watched->what).problem, QStringLiteral("no permission"));
        QCOMPARE(std::get<WatchState>(watched->what).lastScanBegan, std::optional(zero - 2s + moved));
        QCOMPARE(std::get<WatchState>(watched->what).processSince, std::optional(zero + 5s + 3ms + moved));
        events::Coverage::Parts covers = coverage();
        for (events::Coverage::Gap &gap : covers.gaps) {
            gap.from += moved;
            if (gap.to)
                *gap.to += moved;
        }
        const auto covered = std::get<Covered>(reader->next()->what);
        QVERIFY(covered.isGapChanged && covered.parts == covers);
        const auto eventCoverage = reader->next();
        QVERIFY(eventCoverage
                && std::get<events::EventCoverage>(eventCoverage->what)
                       == (events::EventCoverage {events::EventCoverage::Depth::Keys, true, zero + 1s + moved, true}));
        Observations expected = everything();
        for (Observation &observation : expected) {
            observation.asked += moved;
            observation.answered += moved;
            if (auto *exists = std::get_if<events::Exists>(&observation.content);
                exists != nullptr && !exists->deadline.isNever())
                exists->deadline = Deadline(exists->deadline.at() + moved, exists->deadline.uncertainty());
            if (auto *fields = std::get_if<events::FieldExpiries>(&observation.content)) {
                for (keys::FieldDeadlines::Field &field : fields->ends.first)
                    field.deadline = Deadline(field.deadline.at() + moved, field.deadline.uncertainty());
                fields->ends.last = Deadline(fields->ends.last.at() + moved, fields->ends.last.uncertainty());
            }
        }
        const auto seen = reader->next();
        QVERIFY(seen && std::holds_alternative<Observations>(seen->what));
        QVERIFY(std::get<Observations>(seen->what) == expected);
        const auto flush = std::get<FlushReceived>(reader->next()->what);
        QVERIFY(flush.at == zero + 2s + moved && flush.kind == events::FlushKind::All);
        QVERIFY(std::get<ReceivedUpTo>(reader->next()->what).time == zero + 3s + moved);
        QVERIFY(std::get<EmptyDatabase>(reader->next()->what).answered == zero + 5s + moved);
        const auto answered = std::get<ReplyEntry>(reader->next()->what);
        QVERIFY(answered.commands[1] == (resp::Command {"CONFIG", "GET", "save"}));
        QVERIFY(answered.delivery.replies[1] == resp::Reply::array({resp::Reply::integer(7), resp::Reply::nil()}));
        const auto acted = std::get<OwnChangeEntry>(reader->next()->what);
        QVERIFY(acted.change.kind == history::OwnChange::Kind::ExpirySet
                && acted.change.deadline->at() == zero + 9s + moved);
        const auto recognised = std::get<RecognitionEntry>(reader->next()->what);
        QCOMPARE(recognised.recognition.best().dialect, QStringLiteral("lock.token"));
        QVERIFY(recognised.recognition.decoded == unusualLock().decoded);
        QVERIFY(std::holds_alternative<DisplayMark>(reader->next()->what));
        QVERIFY(std::holds_alternative<EndMarker>(reader->next()->what));
        QVERIFY(!reader->next() && !reader->problem());
    }

    /// The fast reader gives the same result as the general JSON reader for every line.
    void quickLine_isReadAsAnyOther_data()
    {
        QTest::addColumn<QByteArray>("line");
        int number = 0;
        for (const QByteArray &line : recordingOfAll().split('\n').mid(1))
            QTest::addRow("%d", ++number) << line + '\n';
        Encoder encoder(zero);
        const MonotonicTime at = zero + 7s;
        const auto add = [&](const char *name, auto what) {
            QTest::newRow(name) << encoder.line({at, std::move(what)});
        };
        add("a key and its number",
            Observations {
                {"k", events::ChangeNotification {"set"}, at - 3us, at - 1us, Source::Notification},
                {"k", events::Exists {Deadline(at + 30s, 50us), true}, at - 2us, at, Source::NotifiedRead},
                {"k", events::TypeReply {keys::KeyType::String}, at, at, Source::NotifiedRead},
                {"k", events::ValueReply {{keys::KeyType::String, 5, {"token"}}}, at, at, Source::NotifiedRead}});
        add("two that are new", Observations {{"m", events::Gone {}, at, at, Source::NotifiedRead},
                                              {"n", events::Gone {}, at, at, Source::Read, true},
                                              {"n", events::Gone {}, at, at, Source::OwnCommand}});
        add("without an end", Observations {{"k", events::Exists {Deadline::never()}, at, at, Source::Scan}});
        add("an empty list", Observations {{"l", events::ValueReply {{keys::KeyType::List, 0, {}}}, at, at}});
        add("quotes", Observations {{"a \"b\" \\ c", events::Gone {}, at, at, Source::Poll, true}});
        WatchState watched;
        (void)encoder.line({at, watched});
        watched.eventDelay = 1234ns;
        add("a round trip", watched);
        QTest::newRow("zeros") << QByteArray("{\"heard\":007,\"t\":1}\n");
        QTest::newRow("fraction") << QByteArray("{\"heard\":7.5,\"t\":1e3}\n");
        QTest::newRow("large") << QByteArray("{\"heard\":99999999999999999999,\"t\":9223372036854775807}\n");
        QTest::newRow("negative") << QByteArray("{\"heard\":-5,\"t\":-7}\n");
        QTest::newRow("spaces") << QByteArray("{\"shown\": true, \"t\": 1}\n");
    }
    void quickLine_isReadAsAnyOther()
    {
        QFETCH(QByteArray, line);
        const auto read = [](const QByteArray &bytes, bool isQuick) {
            Decoder decoder;
            (void)decoder.heading(headingLine());
            (void)decoder.anyEntry("{\"t\":0,\"seen\":[[\"first\",\"p\",0,0,\"met\"]]}\n");
            const auto entry = isQuick ? decoder.entry(bytes) : decoder.anyEntry(bytes);
            if (!entry)
                return QByteArray();
            // The keys that it has numbered are part of its result.
            const auto next = decoder.anyEntry("{\"t\":0,\"seen\":[[1,\"p\",0,0,\"met\"]]}\n");
            Encoder encoder(ReplayClock::zero);
            return encoder.line(*entry) + (next ? encoder.line(*next) : "none");
        };
        QCOMPARE(read(line, true), read(line, false));
        for (qsizetype at = 0; at < line.size(); ++at) {
            for (const char wrong : {'"', '0', '9', '\\', ']', '}', ',', '-', 'e', '\xc3', '\0'}) {
                QByteArray broken = line;
                broken[at] = wrong;
                QCOMPARE(read(broken, true), read(broken, false));
            }
            QCOMPARE(read(line.first(at), true), read(line.first(at), false));
        }
    }

    /// Only the changed members are written.
    void changeOfCoverage_isReadAsItWas()
    {
        Encoder encoder(ReplayClock::zero);
        Decoder decoder;
        events::Coverage::Parts parts;
        const base::Error silence {base::ErrorKind::TimedOut, base::Text(QStringLiteral("silence"))};
        for (int i = 0; i < 3; ++i) {
            const MonotonicTime from = ReplayClock::zero + i * 1s;
            parts.gaps.push_back({from, {}, silence, {}});
            QVERIFY(decoder.entry(encoder.line({from, Covered {parts, true}})));
            parts.gaps.back().to = from + 500ms;
            const auto read = decoder.entry(encoder.line({from, Covered {parts, true}}));
            QVERIFY(read && std::get<Covered>(read->what).parts == parts);
        }
        parts.databaseSize = 5;
        const QByteArray line = encoder.line({ReplayClock::zero, Covered {parts, false}});
        QCOMPARE(line, QByteArrayLiteral("{\"coverage\":{\"of\":5},\"t\":0}\n"));
        const auto read = decoder.entry(line);
        QVERIFY(read && std::get<Covered>(read->what).parts == parts);
    }

    void coverageThatCannotBe_isRefused_data()
    {
        QTest::addColumn<QByteArray>("coverage");
        QTest::newRow("later than ever") << QByteArray(R"("keep":0,"blind":[[9000000000000000000,null,4,"a",null]])");
        QTest::newRow("earlier than ever") << QByteArray(R"("keep":0,"blind":[[-9000000000000000000,5,4,"a",null]])");
        QTest::newRow("ends before it begins") << QByteArray(R"("keep":0,"blind":[[10,9,4,"a",null]])");
        QTest::newRow("keeps what is not there") << QByteArray(R"("keep":1,"blind":[])");
        QTest::newRow("no interval") << QByteArray(R"("keep":0,"blind":[[1]])");
        QTest::newRow("unknown question") << QByteArray(R"("denied":[[3,4,"a",true]])");
    }
    void coverageThatCannotBe_isRefused()
    {
        QFETCH(QByteArray, coverage);
        Decoder decoder;
        QVERIFY(decoder.entry("{\"t\":1,\"coverage\":{\"keep\":0,\"blind\":[]}}\n"));
        QVERIFY(!decoder.entry("{\"t\":1,\"coverage\":{" + coverage + "}}\n"));
    }

    void cutOffAnywhere_isReadAsFarAsItIsWhole()
    {
        const QByteArray whole = recordingOfAll();
        const qsizetype headed = whole.indexOf('\n') + 1;
        for (qsizetype size = 0; size < headed; ++size)
            QVERIFY2(!refusal(whole.first(size)).isEmpty() || size == headed - 1, qPrintable(QString::number(size)));
        for (qsizetype size = headed; size < whole.size() - 1; ++size) {
            const QByteArray cut = whole.first(size);
            const auto reader = readerOf(cut);
            QVERIFY(reader);
            qsizetype entries = 0;
            while (reader->next())
                ++entries;
            QCOMPARE(entries, cut.count('\n') - 1);
            QVERIFY(reader->problem());
            QVERIFY2(reader->problem()->message().startsWith(
                         QStringLiteral("line %1, at byte %2: the recording is cut off here")
                             .arg(entries + 2)
                             .arg(cut.lastIndexOf('\n') + 1)),
                     qPrintable(reader->problem()->message()));
        }
        const auto endless = readerOf(whole.chopped(1)); // Only the last line end is missing.
        while (endless->next()) {}
        QVERIFY(!endless->problem());
    }

    void otherFile_isRefusedWithOneSentence_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("empty") << QByteArray() << QStringLiteral("it is empty, and so no recording");
        QTest::newRow("text") << QByteArray("hello\n")
                              << QStringLiteral("line 1, at byte 0: it is not a recording of Latchkey");
        QTest::newRow("another JSON") << QByteArray("{\"a\": 1}\n")
                                      << QStringLiteral("line 1, at byte 0: it is not a recording of Latchkey");
        QTest::newRow("binary") << QByteArray("\x7f"
                                              "ELF\0\1\2\xff\xfe\n",
                                              10)
                                << QStringLiteral("line 1, at byte 0: it is not a recording of Latchkey");
        QTest::newRow("zeros") << QByteArray(200'000, '\0')
                               << QStringLiteral("line 1, at byte 0: it is not a recording of Latchkey");
        QTest::newRow("future") << QByteArray("{\"latchkey_recording\":4,\"program\":\"9.0\"}\n")
                                << QStringLiteral(
                                       "line 1, at byte 0: it was written by a newer version of Latchkey (9.0), and "
                                       "has the format 4");
        QTest::newRow("cut in the heading")
            << headingLine().chopped(20)
            << QStringLiteral("line 1, at byte 0: it is cut off before anything was recorded");
    }
    void otherFile_isRefusedWithOneSentence()
    {
        QFETCH(QByteArray, bytes);
        QTEST(refusal(bytes), "sentence");
    }

    void brokenLine_endsItThere_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("what");
        QTest::newRow("no JSON") << QByteArray("{\"t\": 1, \n") << QStringLiteral("it is not JSON: ");
        QTest::newRow("binary") << QByteArray("\xff\xfe\x00\x01\n", 5) << QStringLiteral("it is not JSON: ");
        QTest::newRow("no object") << QByteArray("[1]\n") << QStringLiteral("it is not a JSON object");
        QTest::newRow("no time") << QByteArray("{\"shown\": true}\n") << QStringLiteral("it has no time");
        QTest::newRow("nothing known") << QByteArray("{\"t\": 1, \"new\": 2}\n")
                                       << QStringLiteral("its contents are not understood");
        QTest::newRow("unknown key") << QByteArray("{\"t\": 1, \"seen\": [[7, \"p\", 0, 0, \"gone\"]]}\n")
                                     << QStringLiteral("its contents are not understood");
        QTest::newRow("unknown source") << QByteArray("{\"t\": 1, \"seen\": [[\"k\", \"?\", 0, 0, \"gone\"]]}\n")
                                        << QStringLiteral("its contents are not understood");
        QTest::newRow("huge") << QByteArray(maxLineLength + 10, 'x') + '\n'
                              << QStringLiteral("it is longer than any line of a recording");
    }
    void brokenLine_endsItThere()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, what);
        Encoder encoder(zero);
        const QByteArray before = headingLine() + encoder.line({zero + 1s, DisplayMark {}});
        const auto reader = readerOf(before + line + encoder.line({zero + 2s, DisplayMark {}}));
        QVERIFY(reader->next());
        QVERIFY(!reader->next());
        QVERIFY(!reader->next());
        QVERIFY(reader->problem());
        const QString expected = QStringLiteral("line 3, at byte %1: %2").arg(before.size()).arg(what);
        QVERIFY2(reader->problem()->message().startsWith(expected), qPrintable(reader->problem()->message()));
        QVERIFY(reader->problem()->message().endsWith(QStringLiteral("what came before it is shown")));
    }

    void lastTime_isReportedWithoutReadingAll()
    {
        Encoder encoder(zero);
        QByteArray file = headingLine();
        for (int second = 1; second <= 3600; ++second)
            file += encoder.line({zero + std::chrono::seconds(second), everything()});
        QVERIFY(readerOf(file)->lastTime() == ReplayClock::zero + 3600s);
        QVERIFY(readerOf(file.chopped(5))->lastTime() == ReplayClock::zero + 3599s); // The cut-off line is not counted.
        QVERIFY(readerOf(headingLine())->lastTime() == ReplayClock::zero);
    }

    void endlessNewKeys_doNotFillTheMemory()
    {
        Encoder encoder(zero);
        QByteArray file = headingLine();
        constexpr int keys = 70'000;
        for (int i = 0; i < keys; ++i)
            file += encoder.line({zero, Observations {{"k" + QByteArray::number(i), events::Gone {}, zero, zero}}});
        file += encoder.line({zero, EndMarker {}});
        const auto reader = readerOf(file);
        for (int i = 0; i < keys; ++i)
            QCOMPARE(std::get<Observations>(reader->next()->what).front().key, "k" + QByteArray::number(i));
        QVERIFY(file.contains("[null,")); // Numbering has restarted.
    }

    void fullDisk_isReportedOnceAndTheWrittenPartIsReadable()
    {
        QByteArray written;
        RecordingWriter writer(std::make_unique<SmallDisk>(100'000, written));
        QStringList told;
        connect(&writer, &RecordingWriter::failed, this, [&](const base::Error &error) { told += error.message(); });
        Encoder encoder(zero);
        writer.write(headingLine());
        for (int i = 0; i < 5000; ++i)
            writer.write(encoder.line({zero + std::chrono::milliseconds(i), everything()}));
        LATCHKEY_AWAIT(!told.isEmpty()); // Emitted from the event loop.
        QCOMPARE(told, QStringList {QStringLiteral("the recording cannot be written: No space left on device")});
        QVERIFY(writer.error());
        const auto reader = readerOf(written);
        QVERIFY(reader && reader->next());
        while (reader->next()) {}
        QVERIFY(reader->problem()->message().contains(QStringLiteral("the recording is cut off here")));
    }

    void file_isItsOwnersAloneAndReplacedOnlyWhereThatIsWanted()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.latchkey-recording"));
        LATCHKEY_VERIFY_RESULT(RecordingWriter::create(path, false));
        QCOMPARE(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteOther),
                 QFile::Permissions());
        const auto again = RecordingWriter::create(path, false);
        QVERIFY(!again);
        QCOMPARE(again.error().message(), path + QStringLiteral(": it is there already, and is not replaced"));
        QVERIFY(
            QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther));
        LATCHKEY_VERIFY_RESULT(RecordingWriter::create(path, true));
        QCOMPARE(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QVERIFY(!RecordingWriter::create(folder.filePath(QStringLiteral("no/such/folder")), false));
        QVERIFY(!Reader::open(folder.path()));
        QVERIFY(!Reader::open(folder.filePath(QStringLiteral("none"))));
    }

    void lines_areWrittenWithinASecond()
    {
        QByteArray written;
        RecordingWriter writer(std::make_unique<SmallDisk>(1'000'000, written));
        writer.write(headingLine());
        QVERIFY(written.isEmpty());
        LATCHKEY_AWAIT(!written.isEmpty());
    }
};

LATCHKEY_TEST(TestRecordingFormat)

} // namespace tst_recordingformat

#include "tst_recordingformat.moc"
