<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AlertTexts</name>
    <message>
        <source>A lock has no expiry</source>
        <translation>锁没有过期时间</translation>
    </message>
    <message>
        <source>A lock has more holders than it admits</source>
        <translation>锁的持有者多于其所允许的</translation>
    </message>
    <message>
        <source>A lock is held for longer than %1</source>
        <translation>锁被持有超过 %1</translation>
    </message>
    <message>
        <source>A lock has the finding &quot;%1&quot;</source>
        <translation>锁有问题“%1”</translation>
    </message>
    <message>
        <source>The server does not answer</source>
        <translation>服务器没有应答</translation>
    </message>
    <message>
        <source>The server has not answered for %1</source>
        <translation>服务器已有 %1 没有应答</translation>
    </message>
    <message>
        <source>the whole server</source>
        <translation>整个服务器</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>所有键</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>已持续 %1</translation>
    </message>
    <message>
        <source>over after %1</source>
        <translation>%1 后结束</translation>
    </message>
    <message>
        <source>over after %1, the lock is gone</source>
        <translation>%1 后结束，锁已不存在</translation>
    </message>
    <message>
        <source>over after %1: %2</source>
        <translation>%1 后结束：%2</translation>
    </message>
    <message>
        <source>no longer watched</source>
        <translation>不再观察</translation>
    </message>
    <message>
        <source>not seen now</source>
        <translation>现在看不到</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>two lengths of time</comment>
        <translation>%1 到 %2</translation>
    </message>
</context>
<context>
    <name>AnswerText</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>two lengths of time</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>inferred from its number</source>
        <translation>由其编号推断</translation>
    </message>
    <message>
        <source>inferred from its name</source>
        <translation>由其名称推断</translation>
    </message>
    <message numerus="yes">
        <source>one of %Ln connections</source>
        <translation>
            <numerusform>%Ln 个连接之一</numerusform>
        </translation>
    </message>
    <message>
        <source>Unix socket</source>
        <translation>Unix 套接字</translation>
    </message>
    <message>
        <source>client %1</source>
        <comment>an address</comment>
        <translation>客户端 %1</translation>
    </message>
    <message>
        <source>a client without a name</source>
        <translation>未命名的客户端</translation>
    </message>
    <message>
        <source>no longer connected</source>
        <translation>已断开连接</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a client, and its address</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the parts of a sentence</comment>
        <translation>，</translation>
    </message>
    <message>
        <source>client unknown: the server refuses CLIENT LIST</source>
        <translation>客户端未知：服务器拒绝 CLIENT LIST</translation>
    </message>
    <message>
        <source>client unknown</source>
        <translation>客户端未知</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>令牌 %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a holder, and what is known of its client</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Clients wait until its count is 0; now it is %1</source>
        <translation>客户端等待其计数变为 0；现在为 %1</translation>
    </message>
    <message>
        <source>Free permits: %1; the holders of the others are not recorded</source>
        <translation>空闲许可：%1；其余许可的持有者没有记录</translation>
    </message>
    <message>
        <source>Permits in use: %1; the holders are not recorded</source>
        <translation>使用中的许可：%1；持有者没有记录</translation>
    </message>
    <message>
        <source>Held by %1</source>
        <translation>由 %1 持有</translation>
    </message>
    <message>
        <source>Held by an unknown client (the value does not name it)</source>
        <translation>由未知客户端持有（值中没有其名称）</translation>
    </message>
    <message>
        <source>Held by %1 readers: %2</source>
        <translation>由 %1 个读者持有：%2</translation>
    </message>
    <message>
        <source>Held by at least %1 holders: %2</source>
        <translation>由至少 %1 个持有者持有：%2</translation>
    </message>
    <message>
        <source>Held by %1 holders: %2</source>
        <translation>由 %1 个持有者持有：%2</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between two holders</comment>
        <translation>；</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %Ln more</source>
        <translation>
            <numerusform>%1，以及另外 %Ln 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Held for reading by %1</source>
        <translation>由 %1 为读取而持有</translation>
    </message>
    <message>
        <source>Held for writing by %1</source>
        <translation>由 %1 为写入而持有</translation>
    </message>
    <message>
        <source>at every look for %1, with changes that may not have been seen</source>
        <translation>%1 内每次查看时均如此，其间的更改可能没有被看到</translation>
    </message>
    <message>
        <source>since an unknown time</source>
        <translation>起始时间未知</translation>
    </message>
    <message>
        <source>since at least %1</source>
        <translation>至少已 %1</translation>
    </message>
    <message>
        <source>for %1</source>
        <comment>how long a lock has been held</comment>
        <translation>已 %1</translation>
    </message>
    <message>
        <source>not seen renewed</source>
        <translation>未见续期</translation>
    </message>
    <message>
        <source>seen renewed once</source>
        <translation>见到续期一次</translation>
    </message>
    <message>
        <source>renewed every %1 until %2 ago</source>
        <translation>曾每 %1 续期，直到 %2前</translation>
    </message>
    <message>
        <source>renewed every %1</source>
        <translation>每 %1 续期</translation>
    </message>
    <message>
        <source>its expiry is unknown because the server refuses to tell</source>
        <translation>过期时间未知，因为服务器拒绝告知</translation>
    </message>
    <message>
        <source>without expiry</source>
        <translation>没有过期时间</translation>
    </message>
    <message>
        <source>due to end now</source>
        <translation>现在应当结束</translation>
    </message>
    <message>
        <source>ends with its last field in %1</source>
        <translation>%1后随最后一个字段结束</translation>
    </message>
    <message>
        <source>ends in %1 unless renewed</source>
        <translation>若不续期则 %1后结束</translation>
    </message>
    <message>
        <source>ends in %1</source>
        <translation>%1后结束</translation>
    </message>
    <message>
        <source>1 client waits for it.</source>
        <translation>有 1 个客户端在等待它。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln clients wait for it.</source>
        <translation>
            <numerusform>有 %Ln 个客户端在等待它。</numerusform>
        </translation>
    </message>
    <message>
        <source>Other clients: unknown without a trace.</source>
        <translation>其他客户端：没有跟踪，情况未知。</translation>
    </message>
    <message>
        <source>No client has asked for it during a trace of %1.</source>
        <translation>在 %1的跟踪中，没有客户端请求它。</translation>
    </message>
    <message>
        <source>Clients on the Unix socket have asked for it during a trace of %1.</source>
        <translation>在 %1的跟踪中，Unix 套接字上的客户端请求过它。</translation>
    </message>
    <message>
        <source>Clients that sent commands for it during a trace of %1: %2.</source>
        <translation>在 %1的跟踪中，为它发送过命令的客户端：%2。</translation>
    </message>
    <message>
        <source>No other client has asked for it during a trace of %1.</source>
        <translation>在 %1的跟踪中，没有其他客户端请求它。</translation>
    </message>
    <message>
        <source>Other clients that asked for it during a trace of %1: %2.</source>
        <translation>在 %1的跟踪中，请求过它的其他客户端：%2。</translation>
    </message>
    <message>
        <source>The deadline in its value is in %1 by the local clock.</source>
        <translation>按本地时钟，其值中的截止时间在 %1后。</translation>
    </message>
    <message>
        <source>The deadline in its value passed %1 ago by the local clock.</source>
        <translation>按本地时钟，其值中的截止时间已于 %1前过去。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>who holds a lock, and since when</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>It stays until a client deletes it.</source>
        <translation>它会一直存在，直到有客户端删除它。</translation>
    </message>
    <message>
        <source>The key does not exist.</source>
        <translation>键不存在。</translation>
    </message>
    <message>
        <source>an unknown holder</source>
        <translation>未知持有者</translation>
    </message>
    <message>
        <source>Whether the key is a lock is unknown: the server refuses to show its value.</source>
        <translation>不知道该键是否为锁：服务器拒绝显示它的值。</translation>
    </message>
    <message>
        <source>The key has not been read yet.</source>
        <translation>尚未读取该键。</translation>
    </message>
    <message>
        <source>The key is not recognised as a lock; %1.</source>
        <translation>该键未被识别为锁；%1。</translation>
    </message>
    <message>
        <source>Not seen since %1. State then: %2</source>
        <translation>自 %1 起未见。当时的状态：%2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>two sentences</comment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>The key is possibly no lock.</source>
        <translation>该键可能不是锁。</translation>
    </message>
    <message>
        <source>at least %1</source>
        <comment>a length of time</comment>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>%1 held it for %2 until %3 ago: %4.</source>
        <translation>%1 持有了 %2，直到 %3前：%4。</translation>
    </message>
    <message>
        <source>%1 held it for %2; the end was between %3 and %4 ago: %5.</source>
        <translation>%1 持有了 %2；结束于 %3 到 %4前之间：%5。</translation>
    </message>
    <message>
        <source>Whether the key still exists is unknown: the server has not permitted reading it since %1.</source>
        <translation>不知道该键是否还存在：服务器从 %1 起不允许读取它。</translation>
    </message>
    <message>
        <source>When last seen, at %1, it was held by %2 without expiry.</source>
        <translation>最后一次看到时（%1），它由 %2 持有，没有过期时间。</translation>
    </message>
    <message>
        <source>When last seen, at %1, it was held by %2 and due to end at %3 unless renewed.</source>
        <translation>最后一次看到时（%1），它由 %2 持有，若不续期将于 %3 结束。</translation>
    </message>
    <message>
        <source>When last seen, at %1, it had no expiry.</source>
        <translation>最后一次看到时（%1），它没有过期时间。</translation>
    </message>
    <message>
        <source>When last seen, at %1, it was due to end at %2.</source>
        <translation>最后一次看到时（%1），它将于 %2 结束。</translation>
    </message>
    <message>
        <source>%1 The key has not been read since.</source>
        <translation>%1此后没有再读取该键。</translation>
    </message>
</context>
<context>
    <name>ClientBelief</name>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>working</source>
        <translation>工作中</translation>
    </message>
    <message>
        <source>holding</source>
        <translation>持有中</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>已崩溃</translation>
    </message>
    <message>
        <source>, with fencing number %1</source>
        <translation>，栅栏编号为 %1</translation>
    </message>
    <message>
        <source>it has lost the lock: %1</source>
        <translation>它失去了锁：%1</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>holds no lock</source>
        <translation>未持有锁</translation>
    </message>
    <message>
        <source>holds it, without a lease</source>
        <translation>持有，没有租约</translation>
    </message>
    <message>
        <source>without expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>还有 %1</translation>
    </message>
    <message>
        <source>still held by this client, %1</source>
        <translation>仍由此客户端持有，%1</translation>
    </message>
    <message>
        <source>held by this client, %1</source>
        <translation>由此客户端持有，%1</translation>
    </message>
    <message>
        <source>held by %1, %2</source>
        <translation>由 %1 持有，%2</translation>
    </message>
    <message>
        <source>held with another token, %1</source>
        <translation>被另一令牌持有，%1</translation>
    </message>
    <message>
        <source>still held, %1</source>
        <translation>仍被持有，%1</translation>
    </message>
    <message>
        <source>the key does not exist</source>
        <translation>该键不存在</translation>
    </message>
    <message>
        <source>Acquired.</source>
        <translation>已获取。</translation>
    </message>
    <message>
        <source>Acquired; the token is %1.</source>
        <translation>已获取；令牌为 %1。</translation>
    </message>
    <message>
        <source>The fencing number is %1.</source>
        <translation>栅栏编号为 %1。</translation>
    </message>
    <message>
        <source>Released.</source>
        <translation>已释放。</translation>
    </message>
    <message>
        <source>Extended.</source>
        <translation>已续期。</translation>
    </message>
    <message>
        <source>Lost: %1.</source>
        <translation>已失去：%1。</translation>
    </message>
    <message>
        <source>Unknown: %1.</source>
        <translation>未知：%1。</translation>
    </message>
    <message>
        <source>%1, on %2 of %3 servers</source>
        <translation>%1，%3 台服务器中的 %2 台上</translation>
    </message>
    <message>
        <source>; 1 does not answer</source>
        <translation>；1 台没有应答</translation>
    </message>
    <message numerus="yes">
        <source>; %n do not answer</source>
        <translation>
            <numerusform>；%n 台没有应答</numerusform>
        </translation>
    </message>
    <message>
        <source>: no majority</source>
        <translation>：未达多数</translation>
    </message>
    <message>
        <source>on none of %1 servers</source>
        <translation>%1 台服务器上都没有</translation>
    </message>
    <message>
        <source>nothing: it crashed while it held the lock</source>
        <translation>没有：它在持有锁时崩溃</translation>
    </message>
    <message>
        <source>nothing: it has crashed</source>
        <translation>没有：它已崩溃</translation>
    </message>
    <message>
        <source>holds it, %1 left</source>
        <translation>持有它，还剩 %1</translation>
    </message>
    <message>
        <source>holds it, but the lease ended %1 ago</source>
        <translation>自认持有，但租约已于 %1 前结束</translation>
    </message>
    <message>
        <source>held by %1, which has crashed, %2</source>
        <translation>由 %1 持有，它已崩溃，%2</translation>
    </message>
    <message>
        <source>held, %1; holder not recorded</source>
        <translation>被持有，%1；未记录持有者</translation>
    </message>
    <message>
        <source>unknown: most servers do not answer</source>
        <translation>未知：多数服务器没有应答</translation>
    </message>
    <message>
        <source>unknown: the server does not answer</source>
        <translation>未知：服务器没有应答</translation>
    </message>
    <message>
        <source>not requested yet</source>
        <translation>尚未询问</translation>
    </message>
    <message>
        <source>Acquired; the deadline in the lock is %1.</source>
        <translation>已获取；锁中的截止时间为 %1。</translation>
    </message>
    <message>
        <source>requesting…</source>
        <translation>正在询问…</translation>
    </message>
    <message>
        <source>Busy: another client holds %1.</source>
        <translation>忙：%1 正被另一个客户端持有。</translation>
    </message>
    <message>
        <source>No longer the owner: the lock may belong to another client and was not changed.</source>
        <translation>已不是持有者：锁可能已归别的客户端，因此未动。</translation>
    </message>
    <message>
        <source>Gone: the lock no longer existed.</source>
        <translation>已消失：锁已经不在了。</translation>
    </message>
    <message>
        <source>; 1 cannot be read</source>
        <translation>；1 台无法读取</translation>
    </message>
    <message numerus="yes">
        <source>; %n cannot be read</source>
        <translation>
            <numerusform>；%n 台无法读取</numerusform>
        </translation>
    </message>
    <message>
        <source>unknown: %1</source>
        <translation>未知：%1</translation>
    </message>
    <message>
        <source>held, %1; the holder cannot be read: %2</source>
        <translation>被持有，%1；无法读取持有者：%2</translation>
    </message>
</context>
<context>
    <name>ClientText</name>
    <message>
        <source>connected for less than a minute</source>
        <translation>连接不到一分钟</translation>
    </message>
    <message numerus="yes">
        <source>connected for %Ln min</source>
        <translation>
            <numerusform>已连接 %Ln 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>connected for %Ln h</source>
        <translation>
            <numerusform>已连接 %Ln 小时</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>connected for %Ln d</source>
        <translation>
            <numerusform>已连接 %Ln 天</numerusform>
        </translation>
    </message>
    <message>
        <source>inferred from its address</source>
        <translation>由其地址推断</translation>
    </message>
    <message>
        <source>inferred from its number</source>
        <translation>由其编号推断</translation>
    </message>
    <message>
        <source>inferred from its name</source>
        <translation>由其名称推断</translation>
    </message>
    <message>
        <source>inferred from a trace of its commands</source>
        <translation>由其命令的痕迹推断</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a client, and how it is known</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>inferred from the host and process in its name</source>
        <translation>由其名称中的主机和进程推断</translation>
    </message>
    <message>
        <source>no longer connected</source>
        <translation>已断开连接</translation>
    </message>
    <message>
        <source>and 1 more connection</source>
        <translation>另有 1 个连接</translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more connections</source>
        <translation>
            <numerusform>另有 %Ln 个连接</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CommandLine</name>
    <message>
        <source>the first line of &quot;%1&quot; is empty</source>
        <translation>“%1”的第一行是空的</translation>
    </message>
    <message>
        <source>too few arguments; expected %1</source>
        <translation>参数太少；应为 %1</translation>
    </message>
    <message>
        <source>unexpected argument &quot;%1&quot;; expected %2</source>
        <translation>多余的参数“%1”；应为 %2</translation>
    </message>
    <message>
        <source>the server %1 is given twice</source>
        <translation>服务器 %1 给了两次</translation>
    </message>
    <message>
        <source>one --url only: this command uses a single server</source>
        <translation>只能有一个 --url：此命令只用一台服务器</translation>
    </message>
    <message>
        <source>the key is empty: is a variable not set? An empty key that is meant needs --allow-empty-key</source>
        <translation>键是空的：是不是有变量没有设置？确实要用空键时，请加 --allow-empty-key</translation>
    </message>
    <message>
        <source>the key &quot;%1&quot; is not base64</source>
        <translation>键“%1”不是 base64</translation>
    </message>
    <message>
        <source>--token and --token-file exclude each other</source>
        <translation>--token 和 --token-file 不能同时使用</translation>
    </message>
    <message>
        <source>unknown unit &quot;%1&quot;; the units of a lifetime are s and ms</source>
        <translation>未知的单位“%1”；生存时间的单位是 s 和 ms</translation>
    </message>
    <message>
        <source>put needs a lifetime: --ttl 5m</source>
        <translation>put 需要生存时间：--ttl 5m</translation>
    </message>
    <message>
        <source>the recipe %1 writes fields, and &quot;%2&quot; is not FIELD=VALUE</source>
        <translation>方案 %1 写入字段，而“%2”不是 FIELD=VALUE</translation>
    </message>
    <message>
        <source>the recipe %1 writes fields, and there are none: FIELD=VALUE</source>
        <translation>方案 %1 写入字段，却没有给出：FIELD=VALUE</translation>
    </message>
    <message>
        <source>the recipe %1 writes one value, and there are %2</source>
        <translation>方案 %1 写入一个值，却给了 %2 个</translation>
    </message>
    <message>
        <source>cannot read the standard input: %1</source>
        <translation>无法读取标准输入：%1</translation>
    </message>
    <message>
        <source>the value is larger than %1 MiB, more than is written or read; nothing was sent</source>
        <translation>该值大于 %1 MiB，超出可读写的上限；什么也没有发送</translation>
    </message>
    <message>
        <source>there is a value already; nothing was changed</source>
        <translation>已经有值了；没有改动</translation>
    </message>
    <message>
        <source>there was nothing to write</source>
        <translation>没有可写入的内容</translation>
    </message>
    <message>
        <source>another client is recomputing the value; nothing was changed</source>
        <translation>另一客户端正在重算该值；没有改动</translation>
    </message>
    <message>
        <source>the guard&apos;s lease ended first; nothing was changed</source>
        <translation>守卫锁的租约先结束了；没有改动</translation>
    </message>
    <message>
        <source>--%1 goes with guarded and a COMMAND that recomputes the value</source>
        <translation>--%1 须与 guarded 以及重算该值的 COMMAND 一起使用</translation>
    </message>
    <message>
        <source>: miss</source>
        <translation>：未命中</translation>
    </message>
    <message>
        <source>; the outcome is unknown</source>
        <translation>；结果未知</translation>
    </message>
    <message>
        <source>there is no completion for the shell &quot;%1&quot;; there is for bash and zsh</source>
        <translation>没有用于 shell“%1”的补全；有用于 bash 和 zsh 的</translation>
    </message>
    <message>
        <source>an expectation is missing, or --file with some</source>
        <translation>缺少期望，或含有期望的 --file</translation>
    </message>
    <message>
        <source>%1 expectations are more than can be watched together (%2)</source>
        <translation>%1 条期望超出了可同时观察的数量（%2）</translation>
    </message>
    <message>
        <source>--for: it must be longer than zero</source>
        <translation>--for：必须大于零</translation>
    </message>
    <message>
        <source>--for: in %1 it cannot be told whether &quot;%2&quot; holds</source>
        <translation>--for：在 %1 之内无法判断“%2”是否成立</translation>
    </message>
    <message>
        <source>expect: %1 keys more match than are judged</source>
        <translation>expect：另有 %1 个匹配的键未作判定</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 个调度</translation>
    </message>
    <message>
        <source>%1 schedules</source>
        <translation>%1 个调度</translation>
    </message>
    <message>
        <source>1 state</source>
        <translation>1 个状态</translation>
    </message>
    <message>
        <source>%1 states</source>
        <translation>%1 个状态</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1, %2 clients: %3 states of %4</source>
        <translation>%1，%2 个客户端：%4 的 %3 个状态</translation>
    </message>
    <message>
        <source>does not apply</source>
        <translation>不适用</translation>
    </message>
    <message>
        <source>BROKEN with %1: %2</source>
        <translation>被打破（%1）：%2</translation>
    </message>
    <message>
        <source>holds in all %1 of %2</source>
        <translation>成立：%2，全部 %1</translation>
    </message>
    <message>
        <source>holds in the first %1 of %2; %3</source>
        <translation>成立：%2，前 %1；%3</translation>
    </message>
    <message>
        <source>%1, servers #1 to #%2</source>
        <translation>%1，服务器 #1 至 #%2</translation>
    </message>
    <message>
        <source>claimed</source>
        <translation>声称有</translation>
    </message>
    <message>
        <source>not claimed</source>
        <translation>未声称</translation>
    </message>
    <message>
        <source>saved as %1</source>
        <translation>已存为 %1</translation>
    </message>
    <message>
        <source>%1 in %2 s.</source>
        <translation>%1，用时 %2 秒。</translation>
    </message>
    <message>
        <source>--%1 %2: not a whole number from %3 to %4</source>
        <translation>--%1 %2：不是 %3 到 %4 之间的整数</translation>
    </message>
    <message>
        <source>--save: %1 cannot be made</source>
        <translation>--save：无法创建 %1</translation>
    </message>
    <message>
        <source>unknown policy &quot;%1&quot;; the policies are wait, stale and none</source>
        <translation>未知的策略“%1”；策略有 wait、stale 和 none</translation>
    </message>
    <message>
        <source>--stale-for goes with --policy stale</source>
        <translation>--stale-for 须与 --policy stale 一起使用</translation>
    </message>
    <message>
        <source>what COMMAND gives is cached, and needs its lifetime: --ttl 5m</source>
        <translation>COMMAND 的输出会被缓存，需要生存时间：--ttl 5m</translation>
    </message>
    <message>
        <source>another client is still recomputing the value</source>
        <translation>另一客户端仍在重算该值</translation>
    </message>
    <message>
        <source>cannot run &quot;%1&quot;: %2</source>
        <translation>无法运行“%1”：%2</translation>
    </message>
    <message>
        <source>%1 writes more than %2 MiB, which is more than is cached or read; nothing was cached</source>
        <translation>%1 的输出超过 %2 MiB，超出可缓存或读取的上限；未缓存</translation>
    </message>
    <message>
        <source>%1 ended with the exit code %2; nothing was cached</source>
        <translation>%1 以退出码 %2 结束；未缓存</translation>
    </message>
    <message>
        <source>; whether the value was cached is unknown</source>
        <translation>；该值是否已缓存尚不清楚</translation>
    </message>
    <message>
        <source>; the value was not cached</source>
        <translation>；该值未缓存</translation>
    </message>
    <message>
        <source>: the guard&apos;s lease ended before the command did; the value was not cached</source>
        <translation>：守卫锁的租约先于命令结束；该值未缓存</translation>
    </message>
    <message>
        <source>%1: %2; ending the program</source>
        <translation>%1：%2；正在结束该程序</translation>
    </message>
    <message>
        <source>extended once</source>
        <translation>续期一次</translation>
    </message>
    <message>
        <source>extended %1 times</source>
        <translation>续期 %1 次</translation>
    </message>
    <message>
        <source>--%1: &quot;%2&quot; is not a whole number</source>
        <translation>--%1：“%2”不是整数</translation>
    </message>
    <message>
        <source>How late, in milliseconds</source>
        <translation>延迟，单位毫秒</translation>
    </message>
    <message>
        <source>lab: it was stopped</source>
        <translation>lab：已被停止</translation>
    </message>
    <message>
        <source>: busy</source>
        <translation>：忙</translation>
    </message>
    <message>
        <source>the lock is held with another token; nothing was changed</source>
        <translation>锁由另一令牌持有；没有改动</translation>
    </message>
    <message>
        <source>the recipe %1 cannot extend a lock</source>
        <translation>方案 %1 不能为锁续期</translation>
    </message>
    <message>
        <source>extend needs the new lease: --lease 30s</source>
        <translation>extend 需要新的租约：--lease 30s</translation>
    </message>
    <message>
        <source>acquires a lock; prints its token</source>
        <translation>获取锁；打印其令牌</translation>
    </message>
    <message>
        <source>releases a lock</source>
        <translation>释放锁</translation>
    </message>
    <message>
        <source>gives a held lock a new lease</source>
        <translation>给已持有的锁一个新租约</translation>
    </message>
    <message>
        <source>unknown unit &quot;%1&quot;; the units of a lease are s and ms</source>
        <translation>未知的单位“%1”；租约的单位是 s 和 ms</translation>
    </message>
    <message>
        <source>--wait: a wait cannot be negative</source>
        <translation>--wait：等待时间不能为负</translation>
    </message>
    <message>
        <source>, with your token</source>
        <translation>，令牌是您给的</translation>
    </message>
    <message>
        <source>, with the token %1</source>
        <translation>，令牌是 %1</translation>
    </message>
    <message>
        <source>TYPE</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>TIME LEFT</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>KIND</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>COUNT</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>WAITING</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>FENCING</source>
        <translation>栅栏</translation>
    </message>
    <message>
        <source>FINDINGS</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>HOLDER</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>KEY</source>
        <translation>键</translation>
    </message>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>lists keys and how long they have left</source>
        <translation>列出键及其剩余时间</translation>
    </message>
    <message>
        <source>a command is missing; see latchkey-cli --help</source>
        <translation>缺少命令；参见 latchkey-cli --help</translation>
    </message>
    <message>
        <source>Usage: latchkey-cli %1 %2</source>
        <translation>用法：latchkey-cli %1 %2</translation>
    </message>
    <message>
        <source>%1: %2; see latchkey-cli %1 --help</source>
        <translation>%1：%2；参见 latchkey-cli %1 --help</translation>
    </message>
    <message>
        <source>&quot;%1&quot;: an IPv6 address stands in brackets</source>
        <translation>“%1”：IPv6 地址要写在方括号里</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no port; write it like 9121 or 127.0.0.1:9121</source>
        <translation>“%1”没有端口；请写成 9121 或 127.0.0.1:9121 这样</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no IP address; write it like 127.0.0.1:9121</source>
        <translation>“%1”不是 IP 地址；请写成 127.0.0.1:9121 这样</translation>
    </message>
    <message>
        <source>cannot serve metrics at %1 port %2: %3</source>
        <translation>无法在 %1 端口 %2 上提供指标：%3</translation>
    </message>
    <message>
        <source>But: %1</source>
        <translation>但是：%1</translation>
    </message>
    <message>
        <source>Promises %1.</source>
        <translation>保证 %1。</translation>
    </message>
    <message>
        <source>Needs the commands %1.</source>
        <translation>需要命令 %1。</translation>
    </message>
    <message>
        <source>lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>lists the recipes and what each promises</source>
        <translation>列出各种方案及其保证</translation>
    </message>
    <message>
        <source>--kill-after: the time is from 0s to 1d</source>
        <translation>--kill-after：时间应在 0s 到 1d 之间</translation>
    </message>
    <message>
        <source>-E: an exit code is from 0 to 255, not &quot;%1&quot;</source>
        <translation>-E：退出码应在 0 到 255 之间，不能是“%1”</translation>
    </message>
    <message>
        <source>%1: the program has ended, but its lock could not be released: %2</source>
        <translation>%1：程序已结束，但它的锁无法释放：%2</translation>
    </message>
    <message>
        <source>%1: cannot run &quot;%2&quot;: %3</source>
        <translation>%1：无法运行“%2”：%3</translation>
    </message>
    <message>
        <source>holds a lock while a program runs</source>
        <translation>在程序运行期间持有锁</translation>
    </message>
    <message>
        <source>--only %1: the story has %2</source>
        <translation>--only %1：该故事有 %2</translation>
    </message>
    <message>
        <source>--speed %1: not a number from 0.1 to 1000</source>
        <translation>--speed %1：不是 0.1 到 1000 之间的数</translation>
    </message>
    <message>
        <source>: stopped before its end</source>
        <translation>：在结束之前被停止</translation>
    </message>
    <message>
        <source>a STORY, --list, --check and --print exclude each other</source>
        <translation>STORY、--list、--check 和 --print 不能同时使用</translation>
    </message>
    <message>
        <source>%1: it has ended its server, which may take no more than %2 MB of memory</source>
        <translation>%1：它使服务器终止了，服务器最多可用 %2 MB 内存</translation>
    </message>
    <message>
        <source>%1 (flawed)</source>
        <translation>%1（有缺陷）</translation>
    </message>
    <message>
        <source>%1 (sound)</source>
        <translation>%1（可靠）</translation>
    </message>
    <message>
        <source>, with number %1</source>
        <translation>，编号 %1</translation>
    </message>
    <message>
        <source>inside: %1</source>
        <translation>临界区内：%1</translation>
    </message>
    <message>
        <source>metrics are at %1</source>
        <translation>指标位于 %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>more of the value than is read</source>
        <translation>该值更多的内容</translation>
    </message>
    <message>
        <source>the key &quot;%1&quot;</source>
        <translation>键“%1”</translation>
    </message>
    <message>
        <source>which scripts the server knows</source>
        <translation>服务器知道哪些脚本</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>because</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>or</source>
        <translation>或者</translation>
    </message>
    <message>
        <source>holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>fencing</source>
        <translation>栅栏编号</translation>
    </message>
    <message>
        <source>denied</source>
        <translation>未获许可</translation>
    </message>
    <message>
        <source>history</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>why &quot;%1&quot;</source>
        <translation>why“%1”</translation>
    </message>
    <message>
        <source>: there is no such key</source>
        <translation>：没有这个键</translation>
    </message>
    <message>
        <source>%1, held for %2</source>
        <translation>%1，持有 %2</translation>
    </message>
    <message>
        <source>%1, held for %2 so far</source>
        <translation>%1，至今已持有 %2</translation>
    </message>
    <message>
        <source>watched for %1, by %2</source>
        <translation>观察了 %1，方式为%2</translation>
    </message>
    <message>
        <source>: if it was acquired, it is held for %1</source>
        <translation>：如果已获取，它会被持有 %1</translation>
    </message>
    <message>
        <source>: if it was acquired, it is held until it is released</source>
        <translation>：如果已获取，它会一直被持有，直到被释放</translation>
    </message>
    <message>
        <source>polling</source>
        <translation>轮询</translation>
    </message>
    <message>
        <source>notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>tracking</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>--progress: only with --json</source>
        <translation>--progress：只能与 --json 一起使用</translation>
    </message>
    <message>
        <source>--speed: %1 is neither a number, such as 1 or 10, nor max</source>
        <translation>--speed：%1 既不是数字（如 1 或 10），也不是 max</translation>
    </message>
    <message>
        <source>watch: one key matches, and is not recognised as a lock</source>
        <translation>watch：有一个键匹配，但没有识别为锁</translation>
    </message>
    <message>
        <source>watch: %1 keys match, and none is recognised as a lock</source>
        <translation>watch：有 %1 个键匹配，但没有一个识别为锁</translation>
    </message>
    <message>
        <source>--proxy leads to hosts, and %1 is a socket</source>
        <translation>--proxy 通往主机，而 %1 是套接字</translation>
    </message>
    <message>
        <source>ssh and a proxy exclude each other: the way of ssh through a proxy is for its own configuration (ProxyCommand)</source>
        <translation>ssh 和代理不能同时使用：ssh 如何经过代理，由它自己的配置决定（ProxyCommand）</translation>
    </message>
    <message>
        <source>--server: no server or group is saved as &quot;%1&quot; in %2</source>
        <translation>--server：%2 中没有以“%1”为名保存的服务器或组</translation>
    </message>
    <message>
        <source>one URL or file at most</source>
        <translation>最多一个 URL 或文件</translation>
    </message>
    <message>
        <source>a recording needs no --demo</source>
        <translation>录制文件不需要 --demo</translation>
    </message>
    <message>
        <source>left out: %1</source>
        <translation>略去：%1</translation>
    </message>
    <message>
        <source>--without %1: neither crashes nor lapses</source>
        <translation>--without %1：既不是 crashes 也不是 lapses</translation>
    </message>
    <message>
        <source>--save: only with one form at a time</source>
        <translation>--save：一次只能用一种形式</translation>
    </message>
    <message>
        <source>unexpected argument &quot;%1&quot;; a program to explore goes behind --</source>
        <translation>多余的参数“%1”；要探索的程序写在 -- 之后</translation>
    </message>
    <message>
        <source>--%1: only for a program, which goes behind --</source>
        <translation>--%1：只用于程序，程序写在 -- 之后</translation>
    </message>
    <message>
        <source>--form %1: neither script nor single nor both</source>
        <translation>--form %1：既不是 script，也不是 single 或 both</translation>
    </message>
    <message>
        <source>by script</source>
        <translation>用脚本</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>用 %1</translation>
    </message>
    <message>
        <source>%1: either a recipe or a program, which goes behind --</source>
        <translation>%1：要么是方案，要么是程序，程序写在 -- 之后</translation>
    </message>
    <message>
        <source>BROKEN: %1</source>
        <translation>已打破：%1</translation>
    </message>
    <message>
        <source>field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>%1, %2 clients, %3: %4 of %5 random schedules; %6 processes started</source>
        <translation>%1，%2 个客户端，%3：%5 个随机调度中的 %4 个；已启动 %6 个进程</translation>
    </message>
    <message>
        <source>%1, %2 clients, %3: %4 states of at most %5, %6 steps deep; %7 processes started; %8 steps a second</source>
        <translation>%1，%2 个客户端，%3：最多 %5 个状态中的 %4 个，深 %6 步；已启动 %7 个进程；每秒 %8 步</translation>
    </message>
    <message>
        <source>--max: only without --random, which has a bound of its own</source>
        <translation>--max：只能在没有 --random 时使用，后者自有界限</translation>
    </message>
    <message>
        <source>cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>--%1 is given twice</source>
        <translation>--%1 给出了两次</translation>
    </message>
    <message>
        <source>the field &quot;%1&quot; is given twice</source>
        <translation>字段“%1”给出了两次</translation>
    </message>
    <message>
        <source>acquired, but standard output cannot be written; the lock stays held</source>
        <translation>已获取，但标准输出无法写入；锁仍被持有</translation>
    </message>
    <message>
        <source>, with the fencing number %1</source>
        <translation>，栅栏编号是 %1</translation>
    </message>
    <message>
        <source>the port %1 is larger than 65535</source>
        <translation>端口 %1 大于 65535</translation>
    </message>
    <message>
        <source>watch: the recording has %1, of %2 at most</source>
        <translation>watch：录制文件已有 %1，上限 %2</translation>
    </message>
    <message>
        <source>watch: recorded %1</source>
        <translation>watch：已录制 %1</translation>
    </message>
    <message>
        <source>--%1: of a recording, so with --record</source>
        <translation>--%1：只用于录制，须与 --record 一起给出</translation>
    </message>
    <message>
        <source>--record-limit: it must be larger than zero</source>
        <translation>--record-limit：必须大于零</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>what a field of a hash has left, and its name</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>field %1</source>
        <comment>the first to end</comment>
        <translation>字段 %1</translation>
    </message>
    <message>
        <source>field ≤ %1</source>
        <comment>the first to end of those that were asked</comment>
        <translation>字段 ≤ %1</translation>
    </message>
    <message>
        <source>there is no story &quot;%1&quot;, and no file of that name; there are %2</source>
        <translation>没有故事“%1”，也没有这个名字的文件；现有 %2</translation>
    </message>
    <message>
        <source>%1 late</source>
        <translation>延迟 %1</translation>
    </message>
    <message>
        <source>%1: this recording of an older version (%2) holds no coverage: what was not seen is not known</source>
        <translation>%1：这个旧版本（%2）的录制不含观察范围：什么没有看到无从得知</translation>
    </message>
    <message>
        <source>one client process, controlled by standard input</source>
        <translation>一个客户端进程，通过标准输入接受指令</translation>
    </message>
    <message>
        <source>--%1 is called --%2 now</source>
        <translation>--%1 现在叫 --%2</translation>
    </message>
    <message>
        <source>--%1: a lease must be longer than zero, not %2; write it like 500ms, 5s or 2m</source>
        <translation>--%1：租约必须大于零，而不是 %2；请写成 500ms、5s 或 2m 这样</translation>
    </message>
    <message>
        <source>--%1: a lifetime must be longer than zero, not %2; write it like 500ms, 5s or 2m</source>
        <translation>--%1：生存时间必须大于零，而不是 %2；请写成 500ms、5s 或 2m 这样</translation>
    </message>
    <message>
        <source>--%1: a lease of %2 is longer than a hundred years</source>
        <translation>--%1：租约 %2 超过一百年</translation>
    </message>
    <message>
        <source>--%1: a lifetime of %2 is longer than a hundred years</source>
        <translation>--%1：生存时间 %2 超过一百年</translation>
    </message>
    <message>
        <source>the recipe %1 does not accept --if-absent</source>
        <translation>方案 %1 用不到 --if-absent</translation>
    </message>
    <message>
        <source>the key expired or was deleted before its lifetime was set</source>
        <translation>该键在得到生存时间之前已结束或被删除</translation>
    </message>
    <message>
        <source>the recipe %1 does not accept a COMMAND: only guarded recomputes</source>
        <translation>方案 %1 用不到 COMMAND：只有 guarded 会重算</translation>
    </message>
    <message>
        <source>writes a key with an expiry</source>
        <translation>写入带过期时间的键</translation>
    </message>
    <message>
        <source>reads a key with an expiry, or recomputes it</source>
        <translation>读取带过期时间的键，或重算它</translation>
    </message>
    <message>
        <source>%1 is a lock recipe; %2 needs a cache recipe</source>
        <translation>方案 %1 是锁的方案；%2 需要缓存的方案</translation>
    </message>
    <message>
        <source>prints the completion script of a shell</source>
        <translation>打印让 shell 补全这一切的脚本</translation>
    </message>
    <message>
        <source>checks expectations about the expiry of keys</source>
        <translation>检查对键的过期的期望</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>在那里被停止</translation>
    </message>
    <message>
        <source>limit reached</source>
        <translation>达到了上限</translation>
    </message>
    <message>
        <source>%1 in %2 s; 1 server request.</source>
        <translation>%1，用时 %2 秒，为此向服务器询问了 1 次。</translation>
    </message>
    <message>
        <source>%1 in %2 s; %3 server requests.</source>
        <translation>%1，用时 %2 秒，为此向服务器询问了 %3 次。</translation>
    </message>
    <message>
        <source>--save: the folder is missing</source>
        <translation>--save：缺少文件夹</translation>
    </message>
    <message>
        <source>--%1: not with --play</source>
        <translation>--%1：播放故事时用不到它</translation>
    </message>
    <message>
        <source>%1: the story names its recipe; omit RECIPE</source>
        <translation>%1：故事自己会说明属于哪个方案；请去掉 RECIPE</translation>
    </message>
    <message>
        <source>finds races in a recipe or in any program</source>
        <translation>查找方案或任意程序中的竞态</translation>
    </message>
    <message>
        <source>--form: %1 has no single command that compares; Valkey has one since 9.0, and Redis since 8.4</source>
        <translation>--form：%1 没有用于比较的单个命令；Valkey 自 9.0 起、Redis 自 8.4 起才有</translation>
    </message>
    <message>
        <source>and 1 more</source>
        <translation>另有 1 个会结束</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个会结束</translation>
    </message>
    <message>
        <source>%1 of %2 fields were not checked</source>
        <translation>%2 个字段中有 %1 个没有询问</translation>
    </message>
    <message>
        <source>--policy none has no guard: --wait and --lease do not apply</source>
        <translation>--policy none 没有守卫锁：用不到 --wait 或 --lease</translation>
    </message>
    <message>
        <source>holder unknown</source>
        <translation>持有者未知</translation>
    </message>
    <message>
        <source>watched for %1, by %2 only: changes between two polls were not seen</source>
        <translation>观察了 %1，仅靠%2：两次查看之间的情况没有看到</translation>
    </message>
    <message>
        <source>seen expired by a read</source>
        <translation>读取时已过期</translation>
    </message>
    <message>
        <source>expired event received</source>
        <translation>收到 expired 事件</translation>
    </message>
    <message>
        <source>the server sends no expired events (notify-keyspace-events)</source>
        <translation>服务器不通知键的过期（notify-keyspace-events）</translation>
    </message>
    <message>
        <source>no event for %1 keys within ten seconds</source>
        <translation>有 %1 个键在十秒内没有收到服务器的通知</translation>
    </message>
    <message>
        <source>±%1: a millisecond, and half of a round trip (p99 %2)</source>
        <translation>误差 %1：一毫秒，加上往返时间的一半（p99 %2）</translation>
    </message>
    <message>
        <source>measures expiry: writes keys and kills the writer</source>
        <translation>写入会过期的键，杀死写入者，再作测量</translation>
    </message>
    <message>
        <source>its deadline has passed, so another client may hold the lock; nothing was changed</source>
        <translation>它的截止时间已过，锁可能由别的客户端持有；没有改动</translation>
    </message>
    <message>
        <source>the lock no longer exists</source>
        <translation>锁已经不在了</translation>
    </message>
    <message>
        <source>the lock no longer exists, and none was created</source>
        <translation>锁已经不在了，也没有重新建立</translation>
    </message>
    <message>
        <source>%1 is a cache recipe; %2 needs a lock recipe</source>
        <translation>方案 %1 是缓存的方案；%2 需要锁的方案</translation>
    </message>
    <message>
        <source>expiry of hash fields unknown: %1</source>
        <translation>哈希字段的过期时间未知：%1</translation>
    </message>
    <message>
        <source>of %1 hashes, only the first %2 were checked for expiring fields</source>
        <translation>%1 个哈希中只询问了前 %2 个的字段何时结束</translation>
    </message>
    <message>
        <source>Usage: latchkey-cli [--url URL] COMMAND [ARGUMENT...]

Locks and expiring keys on a Redis server, for scripts and teaching.

Commands:
</source>
        <translation>用法：latchkey-cli [--url URL] COMMAND [ARGUMENT...]

Redis 服务器上的锁和会过期的键，用于脚本和教学。

命令：
</translation>
    </message>
    <message>
        <source>cannot write the answer to standard output; the command itself was executed</source>
        <translation>答案无法写到标准输出；命令本身已执行</translation>
    </message>
    <message>
        <source>the program is missing; it follows --</source>
        <translation>哪个程序？它写在 -- 之后</translation>
    </message>
    <message>
        <source>--%1: not for a program</source>
        <translation>--%1：探索程序时用不到它</translation>
    </message>
    <message>
        <source>does not apply: --resource is missing</source>
        <translation>不适用：哪个键是资源？用 --resource 指明</translation>
    </message>
    <message>
        <source>does not apply: the program did not use %1</source>
        <translation>不适用：它没有用过 %1</translation>
    </message>
    <message>
        <source>does not apply: the program sent no ECHO latchkey:inside</source>
        <translation>不适用：它从未说过自己在里面</translation>
    </message>
    <message>
        <source>holds in %1 drawn at random, of %2; all others are unknown</source>
        <translation>在随机抽取的%1中成立，%2；其余的一无所知</translation>
    </message>
    <message>
        <source>%1 in %2 s; %3 processes started.</source>
        <translation>%1，用时 %2 秒，为此启动了 %3 个进程。</translation>
    </message>
    <message>
        <source>prints the events of a recording</source>
        <translation>打印 watch 录制时所打印的内容</translation>
    </message>
    <message>
        <source>run does not accept --json: its output is the program&apos;s</source>
        <translation>run 用不到 --json：它的输出就是那个程序的输出</translation>
    </message>
    <message>
        <source>its lease has ended, and the lock no longer exists</source>
        <translation>期间租约已结束，锁已经不在了</translation>
    </message>
    <message>
        <source>it was lost before, and the lock no longer exists</source>
        <translation>之前已失去锁，锁已经不在了</translation>
    </message>
    <message>
        <source>its lease has ended, and another client holds the lock</source>
        <translation>租约已结束，锁现在由别的客户端持有</translation>
    </message>
    <message>
        <source>it was lost before, and another client holds the lock</source>
        <translation>之前已失去锁，锁现在由别的客户端持有</translation>
    </message>
    <message>
        <source>its lease has ended, and another client may hold it</source>
        <translation>租约已结束，可能由别的客户端持有</translation>
    </message>
    <message>
        <source>ls: %1 keys so far</source>
        <translation>ls：目前 %1 个键</translation>
    </message>
    <message>
        <source>ls: %1 of %2 keys, %3 left</source>
        <translation>ls：%2 个键中的 %1 个，剩余 %3</translation>
    </message>
    <message>
        <source>%1: the server does not report changes; polling is used: %2</source>
        <translation>%1：服务器不报告变化，改用轮询：%2</translation>
    </message>
    <message>
        <source>plays a story of locks with real client processes</source>
        <translation>用真实进程作为客户端讲一个关于锁的故事</translation>
    </message>
    <message>
        <source>this story is played by client processes: use latchkey-cli story</source>
        <translation>这个故事由客户端来讲：请用 latchkey-cli story 播放</translation>
    </message>
    <message>
        <source>Failed: the server answers %1 to step %2.</source>
        <translation>进展与故事不同：服务器对第 %2 步的应答是 %1。</translation>
    </message>
    <message>
        <source>Passed: all replies are equal to those of the story.</source>
        <translation>通过：所有应答都与故事中的相同。</translation>
    </message>
    <message>
        <source>Passed: all replies are equal to those of the story: %1.</source>
        <translation>通过：所有应答都与故事中的相同：%1。</translation>
    </message>
    <message>
        <source>FAILED: %1</source>
        <translation>未通过：%1</translation>
    </message>
    <message>
        <source>Passed: all expectations were met.</source>
        <translation>通过：所有期望都已满足。</translation>
    </message>
    <message>
        <source>Failed: the story ends here.</source>
        <translation>未通过：故事到此结束。</translation>
    </message>
    <message>
        <source>Unknown: the story could not be completed.</source>
        <translation>未知：故事未能进行到底。</translation>
    </message>
    <message>
        <source>Question: %1</source>
        <translation>思考题：%1</translation>
    </message>
    <message>
        <source>Lesson: %1</source>
        <translation>结论：%1</translation>
    </message>
    <message>
        <source>prints events of locks</source>
        <translation>实时打印锁上发生的事</translation>
    </message>
    <message>
        <source>possibly because of our own read</source>
        <translation>可能因我们自己的读取</translation>
    </message>
    <message>
        <source>the subscribers of the channel &quot;%1&quot;</source>
        <translation>谁在监听频道“%1”</translation>
    </message>
    <message>
        <source>expiry of its fields: %1</source>
        <translation>其字段的过期时间：%1</translation>
    </message>
    <message>
        <source>not recognised as a lock</source>
        <translation>看不出是锁</translation>
    </message>
    <message>
        <source>explains the lock at a key, with evidence and findings</source>
        <translation>说明键是哪种锁、为什么、有什么问题</translation>
    </message>
    <message>
        <source>LATCHKEY_DIALECTS names &quot;%1&quot;, which does not exist</source>
        <translation>LATCHKEY_DIALECTS 指定的文件“%1”不存在</translation>
    </message>
    <message>
        <source> (did you mean &quot;%1&quot;?)</source>
        <translation>（是否想用“%1”？）</translation>
    </message>
    <message>
        <source>unknown command &quot;%1&quot;%2; see latchkey-cli --help</source>
        <translation>未知的命令“%1”%2；参见 latchkey-cli --help</translation>
    </message>
    <message>
        <source>prints the help of the program or of a command</source>
        <translation>打印本程序或一个命令的帮助</translation>
    </message>
    <message>
        <source>prints the version of the program</source>
        <translation>打印本程序的版本</translation>
    </message>
    <message>
        <source>%1; see latchkey-cli --help</source>
        <translation>%1；参见 latchkey-cli --help</translation>
    </message>
    <message>
        <source>%1 (did you mean --%2?)</source>
        <translation>%1（是否想用 --%2？）</translation>
    </message>
    <message>
        <source>--%1 and --%2 exclude each other: --%2 names the whole server</source>
        <translation>--%1 与 --%2 互相排斥：--%2 指定整个服务器</translation>
    </message>
    <message>
        <source>--%1: &quot;%2&quot; is not a number from %3 to %4</source>
        <translation>--%1：“%2”不是 %3 到 %4 的数</translation>
    </message>
    <message>
        <source>--host: &quot;%1&quot; is not the name or the address of a host</source>
        <translation>--host：“%1”不是主机的名称或地址</translation>
    </message>
    <message>
        <source>--output: unknown format &quot;%1&quot;; there are table, json, jsonl and csv</source>
        <translation>--output：未知的格式“%1”；有 table、json、jsonl 和 csv</translation>
    </message>
    <message>
        <source>--json and --output exclude each other</source>
        <translation>--json 与 --output 互相排斥</translation>
    </message>
    <message>
        <source>--no-headers: only a table and CSV have headers</source>
        <translation>--no-headers：只有表格和 CSV 有标题</translation>
    </message>
    <message>
        <source>--event: unknown event &quot;%1&quot;; there are %2</source>
        <translation>--event：未知的事件“%1”；有 %2</translation>
    </message>
    <message>
        <source>keys: %1</source>
        <translation>键：%1</translation>
    </message>
    <message>
        <source>round trip: %1</source>
        <translation>往返时间：%1</translation>
    </message>
    <message>
        <source>status: %1 is refused: %2</source>
        <translation>status：%1 被拒绝：%2</translation>
    </message>
    <message>
        <source>checks that a server answers and may be looked at</source>
        <translation>检查服务器是否应答，以及能否查看</translation>
    </message>
    <message>
        <source>--force and --%1 exclude each other</source>
        <translation>--force 与 --%1 互相排斥</translation>
    </message>
    <message>
        <source>release --force asks for confirmation on a terminal; without one it needs --yes</source>
        <translation>release --force 在终端上请求确认；没有终端时需要 --yes</translation>
    </message>
    <message>
        <source>it is not recognised as a lock; nothing was changed</source>
        <translation>它没有被识别为锁；什么也没有改变</translation>
    </message>
    <message>
        <source>its library is uncertain, and so is the way to release it; nothing was changed</source>
        <translation>它的库不确定，释放方式因此也不确定；什么也没有改变</translation>
    </message>
    <message>
        <source>its library (%1) does more than delete the key; nothing was changed</source>
        <translation>它的库（%1）释放时不只是删除键；什么也没有改变</translation>
    </message>
    <message>
        <source>%1: holder %2, %3. Delete it if it is still so? [y/N] </source>
        <translation>%1：持有者 %2，%3。如果仍是这样，删除它吗？[y/N] </translation>
    </message>
    <message>
        <source>the lock was renewed or changed after it was read; nothing was changed</source>
        <translation>读取之后锁已续期或改变；什么也没有改变</translation>
    </message>
    <message>
        <source>not confirmed; nothing was changed</source>
        <translation>没有确认；什么也没有改变</translation>
    </message>
    <message>
        <source>--yes: only with --force</source>
        <translation>--yes：只能与 --force 一起使用</translation>
    </message>
    <message>
        <source>release: too few arguments; expected RECIPE KEY; see latchkey-cli release --help</source>
        <translation>release：参数太少；应为 RECIPE KEY；参见 latchkey-cli release --help</translation>
    </message>
    <message>
        <source>--timeout: it must be longer than zero</source>
        <translation>--timeout：必须大于零</translation>
    </message>
    <message>
        <source>--quiet and --verbose exclude each other</source>
        <translation>--quiet 与 --verbose 互相排斥</translation>
    </message>
    <message>
        <source>%1: exit code %2 after %3</source>
        <translation>%1：退出码 %2，用时 %3</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>server: %1 (%2)</source>
        <translation>服务器：%1（%2）</translation>
    </message>
    <message>
        <source>Lock: %1 (named by --lock).</source>
        <translation>锁：%1（由 --lock 指定）。</translation>
    </message>
    <message>
        <source>Lock: %1 (it holds a token).</source>
        <translation>锁：%1（其中有令牌）。</translation>
    </message>
    <message>
        <source>Lock: %1 (deleted on release).</source>
        <translation>锁：%1（释放时被删除）。</translation>
    </message>
    <message>
        <source>Not a lock: %1 (not named by --lock).</source>
        <translation>不是锁：%1（未由 --lock 指定）。</translation>
    </message>
    <message>
        <source>watch: there was no event to stop after</source>
        <translation>watch：没有可据以停止的事件</translation>
    </message>
    <message>
        <source>Acts as one client: reads orders as JSON lines, writes reports as JSON lines, until its input ends or it is killed.
It holds at most one lock, renews it where the recipe asks for that, and when it ends it releases nothing.

Orders:   {&quot;do&quot;: &quot;acquire&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K, &quot;lease_ms&quot;: N, &quot;unit&quot;: &quot;s&quot;|&quot;ms&quot;, &quot;token&quot;: T, &quot;wait_ms&quot;: N}
          {&quot;do&quot;: &quot;extend&quot;, &quot;lease_ms&quot;: N}   {&quot;do&quot;: &quot;release&quot;}   {&quot;do&quot;: &quot;quit&quot;}
          {&quot;do&quot;: &quot;put&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K, &quot;value&quot;: V, &quot;lifetime_ms&quot;: N}
          {&quot;do&quot;: &quot;get&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K}
          {&quot;do&quot;: &quot;recompute&quot;, &quot;key&quot;: K, &quot;value&quot;: V, &quot;lifetime_ms&quot;: N, &quot;work_ms&quot;: N, &quot;policy&quot;: &quot;wait&quot;|&quot;stale&quot;|&quot;none&quot;}
          {&quot;do&quot;: &quot;send&quot;, &quot;words&quot;: [WORD…]}   {&quot;do&quot;: &quot;write&quot;}
          {&quot;do&quot;: &quot;go&quot;, &quot;before&quot;: [NAME…]}: from now on it is held before each command of these names, until the next go;
              &quot;CLOCK&quot; is before it reads its clock, &quot;WAIT&quot; before a pause; &quot;letting&quot;: N lets N of them go first;
              &quot;singly&quot;: true sends a pipeline command by command, that of &quot;server&quot;: N next
          {&quot;do&quot;: &quot;clock&quot;, &quot;ahead_ms&quot;: N}: from now on its clock is ahead by so much
          {&quot;do&quot;: &quot;lose-reply&quot;}: the reply to the next command that it sends never reaches it; the server does what it is asked
Reports:  {&quot;event&quot;: &quot;ready&quot;|&quot;acquired&quot;|&quot;busy&quot;|&quot;extended&quot;|&quot;released&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;|&quot;error&quot;, …}
          {&quot;event&quot;: &quot;renewed&quot;|&quot;end-moved&quot;|&quot;lost&quot;, …} of a lock that it renews, or looks at because its
          contenders may give it an earlier end, whenever that happens
          {&quot;event&quot;: &quot;done&quot;, &quot;outcome&quot;: …, &quot;value&quot;: …, &quot;fields&quot;: …, &quot;reply&quot;: …} of an order about no lock
          {&quot;event&quot;: &quot;held&quot;, &quot;command&quot;: …} before a command that it is held before
          {&quot;event&quot;: &quot;wire&quot;, &quot;command&quot;: …, &quot;reply&quot;: …} for every command it sends
Every report has written_at_boot_ms: when it was written, in milliseconds since the machine started (CLOCK_BOOTTIME); valid_for_ms counts from then.
What message and reply say in English is there again as message_text and reply_text, for programs that translate it.
With several --url every acquire is for all of these servers, as redlock wants it.
Keys and tokens that are not UTF-8 come as key_base64 and token_base64.

Example:
  echo &apos;{&quot;do&quot;: &quot;acquire&quot;, &quot;recipe&quot;: &quot;token&quot;, &quot;key&quot;: &quot;lock:orders&quot;, &quot;lease_ms&quot;: 5000}&apos; | latchkey-cli actor
</source>
        <translation>作为一个客户端行事：按行读取 JSON 指令，按行写出 JSON 报告，直到输入结束或被杀死。
它最多持有一把锁，方案要求时为锁续期；结束时什么也不释放。

指令：
          {&quot;do&quot;: &quot;acquire&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K, &quot;lease_ms&quot;: N, &quot;unit&quot;: &quot;s&quot;|&quot;ms&quot;, &quot;token&quot;: T, &quot;wait_ms&quot;: N}
          {&quot;do&quot;: &quot;extend&quot;, &quot;lease_ms&quot;: N}   {&quot;do&quot;: &quot;release&quot;}   {&quot;do&quot;: &quot;quit&quot;}
          {&quot;do&quot;: &quot;put&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K, &quot;value&quot;: V, &quot;lifetime_ms&quot;: N}
          {&quot;do&quot;: &quot;get&quot;, &quot;recipe&quot;: R, &quot;key&quot;: K}
          {&quot;do&quot;: &quot;recompute&quot;, &quot;key&quot;: K, &quot;value&quot;: V, &quot;lifetime_ms&quot;: N, &quot;work_ms&quot;: N, &quot;policy&quot;: &quot;wait&quot;|&quot;stale&quot;|&quot;none&quot;}
          {&quot;do&quot;: &quot;send&quot;, &quot;words&quot;: [WORD…]}   {&quot;do&quot;: &quot;write&quot;}
          {&quot;do&quot;: &quot;go&quot;, &quot;before&quot;: [NAME…]}：从现在起，在这些名称的每条命令之前把它拦住，直到下一个 go；
              &quot;CLOCK&quot; 是在它看时钟之前，&quot;WAIT&quot; 是在停顿之前；&quot;letting&quot;: N 让其中 N 个先通过；
              &quot;singly&quot;: true 逐条发送流水线中的命令，下一条是 &quot;server&quot;: N 的
          {&quot;do&quot;: &quot;clock&quot;, &quot;ahead_ms&quot;: N}：从现在起，它的时钟快这么多
          {&quot;do&quot;: &quot;lose-reply&quot;}：它发送的下一条命令的应答永远不会到达；服务器仍会照做
报告：
          {&quot;event&quot;: &quot;ready&quot;|&quot;acquired&quot;|&quot;busy&quot;|&quot;extended&quot;|&quot;released&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;|&quot;error&quot;, …}
          {&quot;event&quot;: &quot;renewed&quot;|&quot;end-moved&quot;|&quot;lost&quot;, …}：关于它在续期的锁，或因竞争者可能提前其结束时间而查看的锁，发生时随时报告
          {&quot;event&quot;: &quot;done&quot;, &quot;outcome&quot;: …, &quot;value&quot;: …, &quot;fields&quot;: …, &quot;reply&quot;: …}：关于与锁无关的指令
          {&quot;event&quot;: &quot;held&quot;, &quot;command&quot;: …}：在被拦住的命令之前
          {&quot;event&quot;: &quot;wire&quot;, &quot;command&quot;: …, &quot;reply&quot;: …}：关于它发送的每条命令
每份报告都有 written_at_boot_ms：写出的时刻，以机器启动以来的毫秒计（CLOCK_BOOTTIME）；valid_for_ms 从那时算起。
message 和 reply 用英语所说的内容，另以 message_text 和 reply_text 给出，供要翻译它的程序使用。
给出多个 --url 时，每次获取都针对所有这些服务器，正如 redlock 所要求的。
不是 UTF-8 的键和令牌以 key_base64 和 token_base64 给出。

示例：
  echo &apos;{&quot;do&quot;: &quot;acquire&quot;, &quot;recipe&quot;: &quot;token&quot;, &quot;key&quot;: &quot;lock:orders&quot;, &quot;lease_ms&quot;: 5000}&apos; | latchkey-cli actor
</translation>
    </message>
    <message>
        <source>the server&apos;s password is the file&apos;s first line</source>
        <translation>服务器的密码是该文件的第一行</translation>
    </message>
    <message>
        <source>CA certificates in PEM; default: those of the system</source>
        <translation>CA 证书，PEM 格式；默认为系统的 CA 证书</translation>
    </message>
    <message>
        <source>client certificate in PEM</source>
        <translation>客户端证书，PEM 格式</translation>
    </message>
    <message>
        <source>key of the client certificate</source>
        <translation>客户端证书的私钥</translation>
    </message>
    <message>
        <source>name in the server&apos;s certificate; default: the host</source>
        <translation>服务器证书中的名称，当它不是主机名时</translation>
    </message>
    <message>
        <source>accept only the certificate with this fingerprint</source>
        <translation>只接受有此指纹的证书</translation>
    </message>
    <message>
        <source>through ssh, with its configuration, keys and known hosts; the URL is resolved on that host</source>
        <translation>经过 ssh，使用它自己的配置、私钥和已知主机；URL 在那台主机上解析</translation>
    </message>
    <message>
        <source>through a proxy, socks5://[user[:password]@]host:port or http://…; none is used unless named</source>
        <translation>经过代理，socks5://[user[:password]@]host:port 或 http://…；不指明就不使用</translation>
    </message>
    <message>
        <source>print JSON</source>
        <translation>打印 JSON</translation>
    </message>
    <message>
        <source>after a command: its own help</source>
        <translation>放在命令之后：该命令的帮助</translation>
    </message>
    <message>
        <source>no notes on standard error, such as busy; errors and what was not seen are printed</source>
        <translation>标准错误上没有提示，如“忙”；错误和没有看到的内容仍会打印</translation>
    </message>
    <message>
        <source>also print the server, the source of its address and the time taken, to standard error; without a command the version</source>
        <translation>还在标准错误上打印服务器、其地址的来源和用时；没有命令时打印版本</translation>
    </message>
    <message>
        <source>print the version</source>
        <translation>打印版本</translation>
    </message>
    <message>
        <source>KEY is base64, for keys that contain NUL</source>
        <translation>KEY 以 base64 给出，用于含 NUL 的键</translation>
    </message>
    <message>
        <source>allow an empty KEY (refused by default: usually an unset shell variable)</source>
        <translation>KEY 可以为空；否则会被拒绝，因为未设置的变量会成为空键</translation>
    </message>
    <message>
        <source>the same, read from the first line of a file; or LATCHKEY_TOKEN in the environment</source>
        <translation>同上，取自文件的第一行；或环境中的 LATCHKEY_TOKEN</translation>
    </message>
    <message>
        <source>Writes VALUE, or the fields of a hash, under KEY by RECIPE (see: latchkey-cli recipes), with a lifetime. If VALUE is - or missing, it is read from standard input, byte for byte.

{options}

A value may have up to 64 MiB, which is also the limit of get. A larger one is refused (2) before anything is sent.

guarded writes only after a miss, and never while another client recomputes. A key of another type is refused by every RECIPE if TYPE is permitted.

With --json {outcome: &quot;written&quot;|&quot;exists&quot;|&quot;busy&quot;|&quot;gone&quot;|&quot;guard-lost&quot;|&quot;unknown&quot;}.
Exit code: 0 written, 1 not written, 2 wrong usage, 3 error or unknown outcome.

Examples:
  latchkey-cli put set-ex page:home &quot;$(cat home.html)&quot; --ttl 5m --if-absent
  latchkey-cli put hash-lua user:7 name=Ann role=admin --ttl 1h
  make report | latchkey-cli put setex report - --ttl 1d
</source>
        <translation>按 RECIPE（参见：latchkey-cli recipes）把 VALUE 或哈希的字段写入 KEY，并带生存时间。VALUE 为 - 或缺少时，逐字节地从标准输入读取。

{options}

值最大为 64 MiB，这也是 get 所能读取的上限。更大的会被拒绝（2），什么也不发送。

guarded 只在未命中之后写入，而且绝不在另一客户端重算期间写入。其他类型的键会被拒绝，不论 RECIPE 本身会怎样对待它。

加 --json 时输出 {outcome: &quot;written&quot;|&quot;exists&quot;|&quot;busy&quot;|&quot;gone&quot;|&quot;guard-lost&quot;|&quot;unknown&quot;}。
退出码：0 已写入，1 未写入，2 用法错误，3 出错或结果未知。

示例：
  latchkey-cli put set-ex page:home &quot;$(cat home.html)&quot; --ttl 5m --if-absent
  latchkey-cli put hash-lua user:7 name=Ann role=admin --ttl 1h
  make report | latchkey-cli put setex report - --ttl 1d
</translation>
    </message>
    <message>
        <source>the lifetime</source>
        <translation>生存时间</translation>
    </message>
    <message>
        <source>unit in which it is sent (set-then-expire, set-ex, setex); default ms</source>
        <translation>生存时间以什么单位传送（set-then-expire、set-ex、setex），默认 ms</translation>
    </message>
    <message>
        <source>only if there is no value yet (set-ex)</source>
        <translation>仅当还没有值时（set-ex）</translation>
    </message>
    <message>
        <source>Prints a script after which the shell completes commands, options, recipes, promises and files, and after `--` the words of another command. It is made from the tables of this program, so source it each time instead of keeping a copy:

  bash, in ~/.bashrc  source &lt;(latchkey-cli completion bash)
  zsh, in ~/.zshrc    source &lt;(latchkey-cli completion zsh)  # after compinit

Exit code: 0, 2 for another shell.

Example:
  source &lt;(latchkey-cli completion bash)
</source>
        <translation>打印一个脚本，此后 shell 会补全命令、选项、方案、保证和文件，以及 `--` 之后另一命令的词。它来自本程序自己的表，所以请每次重新载入，而不要保存副本：

  bash, in ~/.bashrc  source &lt;(latchkey-cli completion bash)
  zsh, in ~/.zshrc    source &lt;(latchkey-cli completion zsh)  # after compinit

退出码：0，其他 shell 为 2。

示例：
  source &lt;(latchkey-cli completion bash)
</translation>
    </message>
    <message>
        <source>a file with one expectation per line; lines that begin with # are ignored</source>
        <translation>期望，每行一条；以 # 开头的行略去</translation>
    </message>
    <message>
        <source>watch for this time. Default: until the verdict on every named key is known, and at most 5s longer than the expectations need</source>
        <translation>观察这么久。默认：直到每个指明的键都有判定为止，最多比期望所需的时间多 5s</translation>
    </message>
    <message>
        <source>limit of the server&apos;s time: a share of its core like 1%, the default, or commands per second like 500/s</source>
        <translation>监视在服务器上的开销上限：服务器核心的份额，如 1%（默认值），或每秒命令数，如 500/s</translation>
    </message>
    <message>
        <source>write the verdicts as JUnit XML</source>
        <translation>把判定写成 JUnit 的 XML</translation>
    </message>
    <message>
        <source>write them as CSV (RFC 4180); bytes of a key that are not text are written as \xNN</source>
        <translation>把判定写成 CSV（RFC 4180）；键中不是文本的字节写作 \xNN</translation>
    </message>
    <message>
        <source>number of clients, 1 to 4. Default: 2, then 3, then 4, while the promise holds and all schedules can be searched within seconds; each result has its number of clients. Of a program: 2</source>
        <translation>客户端数，1 到 4。默认：先 2，再 3，再 4，只要保证仍成立且所有调度能在几秒内搜索完；每个结果都带有其客户端数。程序：2</translation>
    </message>
    <message>
        <source>how a lock compares its token and acts on it: script, the default; single, by the single command of newer servers; or both, one after the other (with --json an object for each)</source>
        <translation>锁如何比较令牌并据此行事：script（默认）；single，即较新的服务器为此提供的单个命令；或 both，依次进行（加 --json 时各输出一个对象）</translation>
    </message>
    <message>
        <source>limit of states for each promise</source>
        <translation>每项保证的状态数上限</translation>
    </message>
    <message>
        <source>writes a story for each broken promise, as DIR/RECIPE.PROMISE.json</source>
        <translation>为每项被打破的保证写一个故事，即 DIR/RECIPE.PROMISE.json</translation>
    </message>
    <message>
        <source>with --json: prints lines before the result: one for each promise with a result, {answered: {id, …}, story: {…}}, and in between ten a second, {progress: {promise, clients, states, most_states, depth, steps, seconds}}, for a program also starts; an error as a line {error: SENTENCE}</source>
        <translation>与 --json 一起：在那之前，每项保证有了答案就打印一行 {answered: {id, …}, story: {…}}，其间每秒打印十行 {progress: {promise, clients, states, most_states, depth, steps, seconds}}，程序还有 starts；错误也是一行，{error: 句子}</translation>
    </message>
    <message>
        <source>plays a story on a private server instead</source>
        <translation>改为在私有服务器上播放故事</translation>
    </message>
    <message>
        <source>release the lock of another client, whichever recipe or library it is of; RECIPE is not needed. The key is deleted only if its value and its expiry are still as they were read, and waiting clients are woken as the library does. The holder is not informed</source>
        <translation>释放其他客户端的锁，不论它属于哪个方案或库；不需要 RECIPE。只有当键的值和过期时间仍与读取时相同时才删除它，并像该库那样唤醒等待的客户端。持有者不会得到通知</translation>
    </message>
    <message>
        <source>with --force: do not ask for confirmation; needed without a terminal</source>
        <translation>与 --force 一起：不请求确认；没有终端时需要它</translation>
    </message>
    <message>
        <source>lifetime of the recomputed value</source>
        <translation>重算所得值的生存时间</translation>
    </message>
    <message>
        <source>behaviour of the other clients meanwhile: wait for the value (wait, the default), use the old one while it is kept (stale), or run COMMAND too (none)</source>
        <translation>其他客户端期间做什么：等待该值（wait，默认），在旧值仍保留时取旧值（stale），或也运行 COMMAND（none）</translation>
    </message>
    <message>
        <source>time to wait for the value of another client; default 30s</source>
        <translation>等待另一客户端的值多久，默认 30s</translation>
    </message>
    <message>
        <source>time for which the old value is kept after its lifetime; default: the same time again</source>
        <translation>旧值在其生存时间之后再保留多久，默认再保留同样久</translation>
    </message>
    <message>
        <source>lease of the guard; default 10s</source>
        <translation>守卫锁的租约，默认 10s</translation>
    </message>
    <message>
        <source>Starts a process that writes keys by the recipes (default: all caches), and kills it during its writes. Then it reports which keys have no lifetime, when each key was due, when a reader found it gone, and when the server reported its expiry. It uses a private server, or that of --url, where it removes the keys afterwards.

{options}

A read removes an expired key. So half of the keys are read from their expiry on, and the others are not read until the expired event of the server arrives. The delay is known to a millisecond plus half of a round trip.
With --json: {keys, killed_writes, recipes: [{recipe, keys, ending, without_lifetime, empty, absent, promises: [{id, claimed, verdict, keys}]}], late_to_reader: {count, p50_ms, p90_ms, p99_ms, max_ms}, late_to_event, hears_events, silent, round_trip}.
Exit code: 0 no claimed promise is broken; 1 one is; 2 wrong usage; 3 error, or stopped.

Examples:
  latchkey-cli lab --crash-after 1
  latchkey-cli lab set-then-expire setex --keys 10000 --lifetime 3s --up-to 10s
</source>
        <translation>让一个进程按各方案（默认为所有缓存方案）写入键，中途杀死它，并说明哪些键一直没有生存时间，每个键应当何时结束、何时对读者消失、服务器何时通知。在私有服务器上进行；给出 --url 时在那台服务器上进行，之后会删除这些键。

{options}

读取会删除已过期的键，所以一半的键从其过期时间起读取，另一半留给服务器，等待它的通知（事件 expired）。延迟精确到一毫秒加往返时间的一半。
加 --json 时输出：{keys, killed_writes, recipes: [{recipe, keys, ending, without_lifetime, empty, absent, promises: [{id, claimed, verdict, keys}]}], late_to_reader: {count, p50_ms, p90_ms, p99_ms, max_ms}, late_to_event, hears_events, silent, round_trip}。
退出码：0 没有声称的保证被打破；1 有一项被打破；2 用法错误；3 出错，或已被停止。

示例：
  latchkey-cli lab --crash-after 1
  latchkey-cli lab set-then-expire setex --keys 10000 --lifetime 3s --up-to 10s
</translation>
    </message>
    <message>
        <source>keys of each recipe (1000)</source>
        <translation>每种方案的键数（1000）</translation>
    </message>
    <message>
        <source>their lifetime (from 2s to 5s)</source>
        <translation>键的生存时间（2s 到 5s）</translation>
    </message>
    <message>
        <source>lifetimes are spread evenly up to this</source>
        <translation>生存时间均匀分布，直到此值</translation>
    </message>
    <message>
        <source>commands of a write before the writer is killed; a pipeline counts as one</source>
        <translation>写入者在一次写入的这么多条命令之后被杀死；流水线算作一条</translation>
    </message>
    <message>
        <source>share of interrupted writes (50)</source>
        <translation>在这么多的写入中被杀死；其余的届时已经完成（50）</translation>
    </message>
    <message>
        <source>act as the writer process; the plan comes on standard input</source>
        <translation>充当那个写入并被杀死的进程：计划来自标准输入</translation>
    </message>
    <message>
        <source>the token that acquire printed</source>
        <translation>acquire 打印的令牌</translation>
    </message>
    <message>
        <source>lease of the lock; default 30s</source>
        <translation>锁的租约，默认 30s</translation>
    </message>
    <message>
        <source>the new lease</source>
        <translation>新的租约</translation>
    </message>
    <message>
        <source>unit in which the lease is sent (auto-release)</source>
        <translation>租约以什么单位传送（auto-release）</translation>
    </message>
    <message>
        <source>time to retry while the lock is busy</source>
        <translation>锁忙时重试这么久</translation>
    </message>
    <message>
        <source>value of a lock without a token; default `locking`</source>
        <translation>不含令牌的锁的值，默认 `locking`</translation>
    </message>
    <message>
        <source>use this token instead of a random one</source>
        <translation>您自己的口令，代替随机令牌</translation>
    </message>
    <message>
        <source>only keys with an expiry, or with fields that have one</source>
        <translation>只列出有过期时间、或有字段会过期的键</translation>
    </message>
    <message>
        <source>limit of the server&apos;s time: a share of its core like 5%, or commands per second like 500/s. Default: 5% for a server on another machine or saved as production, otherwise no limit</source>
        <translation>扫描在服务器上的开销上限：服务器核心的份额，如 5%，或每秒命令数，如 500/s。默认：其他机器上的或标为生产环境的服务器为 5%，否则没有上限</translation>
    </message>
    <message>
        <source>only keys that look like locks, sorted</source>
        <translation>只列出看似锁的键，已排序</translation>
    </message>
    <message>
        <source>format: a table, the default; an array; an object per line; or CSV (RFC 4180) with the columns key, key_base64, type, pttl_ms, kind, holder, holder_base64, count, waiters, fencing and findings</source>
        <translation>格式：表格（默认）；数组；每行一个对象；或 CSV（RFC 4180），其列为 key、key_base64、type、pttl_ms、kind、holder、holder_base64、count、waiters、fencing 和 findings</translation>
    </message>
    <message>
        <source>no titles of columns, on a terminal and in CSV</source>
        <translation>终端上和 CSV 中都没有各列的标题</translation>
    </message>
    <message>
        <source>key that all clients work on, for lost-update</source>
        <translation>所有客户端共用的键，用于 lost-update</translation>
    </message>
    <message>
        <source>keys that need no expiry; may be repeated</source>
        <translation>不需要过期时间的键；可以重复</translation>
    </message>
    <message>
        <source>for a program that always connects to 127.0.0.1:PORT: each process has its own network namespace; the system must allow user namespaces</source>
        <translation>用于总是连接 127.0.0.1:PORT 的程序：每个进程有自己的网络命名空间；系统必须允许用户命名空间</translation>
    </message>
    <message>
        <source>crashes per schedule; default 1</source>
        <translation>每个调度中的崩溃次数；默认 1</translation>
    </message>
    <message>
        <source>how often the clock may advance to the next timeout of a process; default 3</source>
        <translation>时钟可以前进到进程的下一个超时时刻的次数；默认 3</translation>
    </message>
    <message>
        <source>lost replies per schedule; default 0</source>
        <translation>每个调度中丢失的应答数；默认 0</translation>
    </message>
    <message>
        <source>preemptions per schedule; default: no limit. Most races need one or two, and a limit reduces the number of schedules</source>
        <translation>每个调度中的抢占次数；默认不限。多数竞态只需一两次，而设了上限，调度就少得多</translation>
    </message>
    <message>
        <source>number of random schedules, the same ones every time, for programs with too many schedules. A counterexample may not be the shortest. Without one the verdict is unknown: the exit code is never 0</source>
        <translation>随机调度的个数，每次都是相同的调度，用于调度太多的程序。找到的反例未必最短。没有反例时判定为未知：退出码从不为 0</translation>
    </message>
    <message>
        <source>commands per client; default 200</source>
        <translation>每个客户端的命令数；默认 200</translation>
    </message>
    <message>
        <source>Prints every recipe of the two catalogues, locks and caches: its id, purpose, flaw and promises, and the commands that its user needs permission for.

If TYPE is permitted, it is sent too, so that a key of another type is not changed. Connecting uses CLIENT and INFO, and SELECT for a database other than 0. In the cache recipes, only get --json needs PTTL.

With --json an array of {id, family, title, promises, commands}.

Example:
  latchkey-cli recipes --json
</source>
        <translation>打印锁与缓存两份目录中的每个方案：标识、做什么、有什么缺陷、有哪些保证，以及用户需要获准使用的命令。

获准时还会询问 TYPE，以免动到存放其他内容的键；连接时询问 CLIENT 和 INFO；使用 0 以外的数据库时用 SELECT。需要 PTTL 的是 get --json。

加 --json 时输出数组 {id, family, title, promises, commands}。

示例：
  latchkey-cli recipes --json
</translation>
    </message>
    <message>
        <source>print only events of this kind, as in watch; can be repeated</source>
        <translation>只打印这种事件，同 watch；可以重复</translation>
    </message>
    <message>
        <source>replay speed, such as 1 or 10; max, the default, does not wait</source>
        <translation>重放速度，如 1 或 10；默认的 max 从不等待</translation>
    </message>
    <message>
        <source>Acquires the lock KEY by RECIPE, runs COMMAND while holding it, and releases it. Recipes that can extend are renewed at a third of the lease, so a short lease is enough for long work. COMMAND runs in its own process group, with the standard input and output of this command. Signals are forwarded to that group. Reading from the terminal and job control work as usual.

{options}

The environment of COMMAND contains LATCHKEY_KEY, LATCHKEY_TOKEN if the recipe has tokens, LATCHKEY_FENCING if it has fencing numbers, LATCHKEY_URL with the server of --url if given, and LATCHKEY_PASSWORD with the password of --password-file, so that a latchkey-cli in COMMAND uses the same server. If --url contains the password, LATCHKEY_PASSWORD is not set. A key or token that contains NUL is left out. An environment is readable by the same user only, a command line by all users. The token of one key is not used for another.

The lock is lost when its lease ends, or when another client deletes or replaces it. The next renewal detects that, at a third of the lease. For a recipe that cannot extend, the lock is read (GET, PTTL) at least every 250 ms if the user has permission. A lock that could not be renewed is given up after a second failure at half of the lease, or when a third of the lease is left, so that COMMAND has that time to end. If another client has shortened the lease, it is given up when a third of the lease is left until the new end. In all of these cases the group of COMMAND receives SIGTERM, and SIGKILL if it still exists after --kill-after. If this command is killed, the kernel kills COMMAND, because its lock is no longer renewed, but not the children of COMMAND. While both are stopped (Ctrl-Z) nothing is renewed: if the lease has ended when they continue, the lock is lost, unless COMMAND ended first.

Exit code: that of COMMAND; 128 plus the number of the signal that ended it. Otherwise 1 (or -E) busy, 2 wrong usage, 3 error or unknown outcome, 4 the lock was lost and COMMAND was ended, 126 COMMAND cannot be run, 127 it is not found. A failed release is reported on standard error and does not change the exit code.

Examples:
  latchkey-cli run renewing lock:report --lease 5s -- make report
  latchkey-cli run token lock:backup -E 0 -- pg_dump shop    # not an error if another backup runs
  latchkey-cli run fenced lock:ledger --wait 1m -- sh -c &apos;book --fence &quot;$LATCHKEY_FENCING&quot;&apos;
</source>
        <translation>按 RECIPE 获取锁 KEY，在持有它期间运行 COMMAND，然后释放它。能续期的方案每过租约的三分之一续期一次，所以租约可以短而工作可以长。COMMAND 在自己的进程组中运行，使用本命令的标准输入和输出；本命令收到的信号会转给该进程组，读取终端或从终端被停住的程序一如平常。

{options}

COMMAND 的环境中有 LATCHKEY_KEY，方案使用令牌时有 LATCHKEY_TOKEN，方案有栅栏编号时有 LATCHKEY_FENCING，有 --url 时 LATCHKEY_URL 为其服务器，LATCHKEY_PASSWORD 为 --password-file 中的密码，因此 COMMAND 中的 latchkey-cli 会连到同一台服务器。--url 中含有密码时，不会传递 LATCHKEY_PASSWORD。（含 NUL 的键或令牌放不进去。）环境只有同一用户能读到，命令行则人人可见；一个键的令牌不会用于另一个键。

租约结束，或别的客户端删除或替换了锁，就失去了锁。下一次续期会发现，即每过租约的三分之一；方案不能续期时，在用户获准的情况下每 250 ms 读取一次锁（GET、PTTL）。无法续期的锁，在第二次尝试失败时（租约过半）或租约只剩三分之一时放弃，好让 COMMAND 有这段时间来结束；租约被别的客户端缩短的锁，在距该时间只剩租约的三分之一时放弃。在所有这些情况下，COMMAND 的进程组会收到 SIGTERM，过了 --kill-after 还在则收到 SIGKILL。如果本命令自己被杀死，内核会杀死不再受保护的 COMMAND，但不包括 COMMAND 的子进程。两者都被停住时（Ctrl-Z）不会续期；继续时如果租约已过，就失去了锁；除非 COMMAND 已自行结束，那就以它为准。

退出码：COMMAND 的退出码；被信号终止时为 128 加信号编号。否则 1（或 -E）忙，2 用法错误，3 出错或结果未知，4 失去了锁并因此结束了 COMMAND，126 COMMAND 无法运行，127 找不到。释放失败会在标准错误上说明，不改变退出码。

示例：
  latchkey-cli run renewing lock:report --lease 5s -- make report
  latchkey-cli run token lock:backup -E 0 -- pg_dump shop    # 已有另一备份在运行时不算错误
  latchkey-cli run fenced lock:ledger --wait 1m -- sh -c &apos;book --fence &quot;$LATCHKEY_FENCING&quot;&apos;
</translation>
    </message>
    <message>
        <source>lease of each acquisition and renewal; default 30s</source>
        <translation>每次获取和续期的租约，默认 30s</translation>
    </message>
    <message>
        <source>exit code if the lock is busy; default 1</source>
        <translation>没有赢得锁时的退出码，默认 1</translation>
    </message>
    <message>
        <source>time from SIGTERM to SIGKILL after the lock is lost; default 10s</source>
        <translation>失去锁之后从 SIGTERM 到 SIGKILL 的时间，默认 10s</translation>
    </message>
    <message>
        <source>instead of a URL: the port, default 6379</source>
        <translation>代替 URL：端口，默认 6379</translation>
    </message>
    <message>
        <source>another database than that of LATCHKEY_URL, --host or --port</source>
        <translation>不用 LATCHKEY_URL、--host 或 --port 的数据库，而用这一个</translation>
    </message>
    <message>
        <source>another user than that of LATCHKEY_URL, --host or --port</source>
        <translation>不用 LATCHKEY_URL、--host 或 --port 的用户，而用这一个</translation>
    </message>
    <message>
        <source>longest wait for the connection and for each answer; default 5s</source>
        <translation>等待连接和每个应答的最长时间，默认 5s</translation>
    </message>
    <message>
        <source>Plays a story on private servers and prints each step: the action, the commands of each client, the replies of the server, and whether they meet the expectations of the story. STORY is the name of a built-in story, or a file. Every client is a separate process; a crash is SIGKILL, a pause is SIGSTOP.
Without STORY, the built-in stories are listed. In a file of `explore --save`, every client runs the recipe and is held before each command, so that the commands have the order that the race finder found.

{options}

With --json an object per step: {alternative, step, place, say, client, does, outcome, message, fencing, exchanged, inside, passed, differences}; after each alternative {alternative, is, outcome, verdict}, and at the end {title, outcome, question, verdict}; this outcome is passed, failed or unknown. --list --json is an array of {id, title, verdict, alternatives}.
Exit code: 0 passed; 1 failed; 2 wrong usage, or a file that is no story; 3 unknown.

Examples:
  latchkey-cli story
  latchkey-cli story late-delete
  latchkey-cli story paused-holder --step --only fenced
  latchkey-cli story --print late-delete &gt; mine.json &amp;&amp; latchkey-cli story --check mine.json
</source>
        <translation>在私有服务器上播放一个故事，逐步讲述：发生什么、每个客户端发送什么、服务器应答什么，以及这是否如故事所期望。STORY 是随程序提供的故事的名称，或一个文件。每个客户端都是一个独立的进程；崩溃是 SIGKILL，暂停是 SIGSTOP。不给出 STORY 时列出随程序提供的故事。在 `explore --save` 写出的文件中，每个客户端自行使用方案，并在每条命令之前被拦住，使一切按竞态查找器所找到的顺序发生。

{options}

加 --json 时每步一个对象：{alternative, step, place, say, client, does, outcome, message, fencing, exchanged, inside, passed, differences}；每个可选方案之后 {alternative, is, outcome, verdict}，最后 {title, outcome, question, verdict}，其 outcome 为 passed、failed 或 unknown。--list --json 是数组 {id, title, verdict, alternatives}。
退出码：0 一切如故事所讲；1 有的不同；2 用法错误，或文件不是故事；3 无从得知。

示例：
  latchkey-cli story
  latchkey-cli story late-delete
  latchkey-cli story paused-holder --step --only fenced
  latchkey-cli story --print late-delete &gt; mine.json &amp;&amp; latchkey-cli story --check mine.json
</translation>
    </message>
    <message>
        <source>lists the built-in stories</source>
        <translation>列出随程序提供的故事</translation>
    </message>
    <message>
        <source>plays only this alternative of the story; may be repeated</source>
        <translation>只播放故事的这一个可选方案；可以重复</translation>
    </message>
    <message>
        <source>waits for Enter before each step</source>
        <translation>每一步之前等待 Enter 键</translation>
    </message>
    <message>
        <source>speed factor, 0.1 to 1000; default 1. Scales work, and the rest of a lease if the story allows that</source>
        <translation>快这么多倍，0.1 到 1000：缩放工作时间，以及故事允许时租约的剩余部分；默认 1</translation>
    </message>
    <message>
        <source>checks a story file, and plays nothing</source>
        <translation>说明故事文件有什么错误，不播放</translation>
    </message>
    <message>
        <source>prints the file, to start one of your own from</source>
        <translation>打印该文件，可以由此写您自己的故事</translation>
    </message>
    <message>
        <source>print the ACL SETUSER line for a user who may watch but change nothing, for the version of that server; nothing is watched</source>
        <translation>按该服务器的版本打印 ACL SETUSER 行，用于只能观察、什么也不能改的用户；不作观察</translation>
    </message>
    <message>
        <source>stop after the first printed event; seen counts only with --event seen</source>
        <translation>打印第一个事件之后停止；seen 只有在加 --event seen 时才算</translation>
    </message>
    <message>
        <source>stop after this time</source>
        <translation>这段时间之后停止</translation>
    </message>
    <message>
        <source>serve metrics for Prometheus at /metrics; without an address only to this machine</source>
        <translation>在 /metrics 为 Prometheus 提供指标；不给出地址时只对本机提供</translation>
    </message>
    <message>
        <source>also record the observations, into a new file for latchkey-cli replay and the window</source>
        <translation>把观察到的内容同时录制到新文件中，供 latchkey-cli replay 和窗口使用</translation>
    </message>
    <message>
        <source>end the recording at this size, default 1GB; watch continues, and exits 3</source>
        <translation>录制文件达到这个大小时结束录制，默认 1GB；观察继续，最后以 3 退出</translation>
    </message>
    <message>
        <source>record no values: keys, types and times remain, and a digest of each value</source>
        <translation>录制时省略值：留下键、类型和时间，以及每个值的摘要</translation>
    </message>
    <message>
        <source>watch the key for this time, and print its history; default: a single read</source>
        <translation>把键观察这么久，并讲述其历史；不给出时只看一眼</translation>
    </message>
    <message>
        <source>with --for, limit of the server&apos;s time: a share of its core like 1%, the default, or commands per second like 500/s</source>
        <translation>与 --for 一起使用时，在服务器上的开销上限：服务器核心的份额，如 1%（默认值），或每秒命令数，如 500/s</translation>
    </message>
    <message>
        <source>Prints the help of COMMAND, as COMMAND --help does; without COMMAND the list of commands.

{options}

Exit code: 0, 2 for an unknown command.

Example:
  latchkey-cli help ls
  latchkey-cli help --man ls | man -l -
</source>
        <translation>打印 COMMAND 的帮助，与 COMMAND --help 相同；没有 COMMAND 时打印命令列表。

{options}

退出码：0，未知的命令为 2。

示例：
  latchkey-cli help ls
  latchkey-cli help --man ls | man -l -
</translation>
    </message>
    <message>
        <source>print a page for man(1)</source>
        <translation>打印 man(1) 的手册页</translation>
    </message>
    <message>
        <source>NAME</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>SYNOPSIS</source>
        <translation>概要</translation>
    </message>
    <message>
        <source>DESCRIPTION</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>--persistence %1: neither none nor everysec nor always</source>
        <translation>--persistence %1：既不是 none，也不是 everysec 或 always</translation>
    </message>
    <message>
        <source>--restart-delay %1: neither none nor lease</source>
        <translation>--restart-delay %1：既不是 none，也不是 lease</translation>
    </message>
    <message>
        <source>only this promise; may be repeated. Default: all, except failover-safe, restart-safe, server-clock-safe and partition-safe, which are about faults of servers</source>
        <translation>只探索这一保证；可重复。默认：全部，但 failover-safe、restart-safe、server-clock-safe 和 partition-safe 除外，它们针对服务器的故障</translation>
    </message>
    <message>
        <source>failovers per schedule; default 1; only for failover-safe. A replica takes over that lacks the last writes</source>
        <translation>每个调度的故障转移次数；默认 1；仅用于 failover-safe。接管的副本缺少最后的写入</translation>
    </message>
    <message>
        <source>largest number of a server&apos;s last writes that a failover loses, or a restart with everysec; default 1</source>
        <translation>故障转移或 everysec 时的重启最多丢失服务器的多少次最后写入；默认 1</translation>
    </message>
    <message>
        <source>restarts of servers per schedule; default 1; only for restart-safe</source>
        <translation>每个调度的服务器重启次数；默认 1；仅用于 restart-safe</translation>
    </message>
    <message>
        <source>what a restarted server has saved: none, the default: it is empty; everysec: it lacks some of its last writes; always: nothing is lost</source>
        <translation>重启的服务器保存了什么：none（默认）：它是空的；everysec：它缺少一些最后的写入；always：什么都不丢失</translation>
    </message>
    <message>
        <source>how long a restarted server stays away: none, the default; lease: until all leases from before the restart are over</source>
        <translation>重启的服务器离开多久：none（默认）；lease：直到重启之前的所有租约都结束</translation>
    </message>
    <message>
        <source>partitions per schedule; default 1; only for partition-safe</source>
        <translation>每个调度的网络分区次数；默认 1；仅用于 partition-safe</translation>
    </message>
    <message>
        <source>jumps of a server&apos;s clock per schedule; default 1; only for server-clock-safe</source>
        <translation>每个调度的服务器时钟跳变次数；默认 1；仅用于 server-clock-safe</translation>
    </message>
    <message>
        <source>watch: --exec: %1 alerts wait for the command; further ones are not passed to it</source>
        <translation>watch: --exec: 有 %1 次警报在等待命令；更多的警报不再交给它</translation>
    </message>
    <message>
        <source>watch: --exec: cannot run the command for %1: %2</source>
        <translation>watch: --exec: 无法为 %1 运行命令：%2</translation>
    </message>
    <message>
        <source>watch: --exec: the command for %1 was ended after %2</source>
        <translation>watch: --exec: %1 的命令在 %2 后被终止</translation>
    </message>
    <message>
        <source>watch: --exec: the command for %1 ended with the exit code %2</source>
        <translation>watch: --exec: %1 的命令以退出码 %2 结束</translation>
    </message>
    <message>
        <source>watch: --exec: stopped before the command had ended for %1 alerts</source>
        <translation>watch: --exec: 停止时还有 %1 次警报的命令没有结束</translation>
    </message>
    <message>
        <source>%1, after %2</source>
        <translation>%1，历时 %2</translation>
    </message>
    <message>
        <source>still held, after %1</source>
        <translation>仍被持有，历时 %1</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>历时 %1</translation>
    </message>
    <message>
        <source>--exec: for alerts, so with --alert</source>
        <translation>--exec：用于警报，因此要与 --alert 一起使用</translation>
    </message>
    <message>
        <source>--exec: the command is empty</source>
        <translation>--exec：命令为空</translation>
    </message>
    <message>
        <source>--exec-timeout: of a command, so with --exec</source>
        <translation>--exec-timeout：用于命令，因此要与 --exec 一起使用</translation>
    </message>
    <message>
        <source>--exec-timeout: it must be longer than zero</source>
        <translation>--exec-timeout：必须大于零</translation>
    </message>
    <message>
        <source>print a line when a lock meets RULE, and when that is over; see below. Can be repeated. Events of locks are then printed only with --event</source>
        <translation>锁符合 RULE 时打印一行，结束时也打印一行；见下文。可以重复。此时只有加 --event 才打印锁的事件</translation>
    </message>
    <message>
        <source>run COMMAND with /bin/sh for each alert and its end; its data are in the environment and the standard input, see below</source>
        <translation>每次警报及其结束时用 /bin/sh 运行命令 COMMAND；数据在环境变量和标准输入中，见下文</translation>
    </message>
    <message>
        <source>kill COMMAND after this time; default 30s</source>
        <translation>超过这段时间就终止命令 COMMAND；默认 30s</translation>
    </message>
    <message>
        <source>--exec: cannot start a process: %1</source>
        <translation>--exec：无法启动进程：%1</translation>
    </message>
    <message>
        <source>watch: there are more locks than can be followed; alerts may be missing</source>
        <translation>watch：锁的数量超过所能跟踪的；警报可能有遗漏</translation>
    </message>
    <message>
        <source>--%1: the path is missing</source>
        <translation>--%1：缺少路径</translation>
    </message>
    <message>
        <source>--html: %1 cannot be made</source>
        <translation>--html：无法创建 %1</translation>
    </message>
    <message>
        <source>known: it is listed in the baseline</source>
        <translation>已知：基线中列有它</translation>
    </message>
    <message>
        <source>mended: it can be removed from the baseline</source>
        <translation>已修复：可以从基线中移除</translation>
    </message>
    <message>
        <source>writes the verdicts as JUnit XML, for continuous integration: a test case for each promise</source>
        <translation>为持续集成把结论写为 JUnit XML：每项保证一个测试用例</translation>
    </message>
    <message>
        <source>writes the verdicts as SARIF 2.1.0, for code scanning: a result for each broken promise</source>
        <translation>为代码扫描把结论写为 SARIF 2.1.0：每项被打破的保证一个结果</translation>
    </message>
    <message>
        <source>writes a page with the sequence diagram of each broken promise, as DIR/RECIPE.PROMISE.html</source>
        <translation>为每项被打破的保证写一个带时序图的网页，名为 DIR/RECIPE.PROMISE.html</translation>
    </message>
    <message>
        <source>broken promises that are known, from --write-baseline: they do not change the exit code</source>
        <translation>已知被打破的保证，由 --write-baseline 写出：它们不改变退出码</translation>
    </message>
    <message>
        <source>writes the known broken promises: those of --baseline and of this search, without those that hold now</source>
        <translation>写出已知被打破的保证：--baseline 和这次搜索中的，除去现在成立的</translation>
    </message>
    <message>
        <source>pattern of the command after which a client is inside, instead of ECHO, such as &apos;SET lock * NX&apos;: the words in this order, after the second with any others between them. The reply must be a success: not nil, 0 or an error; or one word after -&gt;, such as &apos;EVALSHA * 1 lock -&gt; nil&apos;. May be repeated</source>
        <translation>代替 ECHO 的命令模式，客户端在该命令之后处于内部，例如 &apos;SET lock * NX&apos;：各词按此顺序出现，第二个词之后其间可有任何其他词。应答必须表示成功：不是 nil、0 或错误；或者是 -&gt; 之后的一个词，例如 &apos;EVALSHA * 1 lock -&gt; nil&apos;。可以重复</translation>
    </message>
    <message>
        <source>does not apply: no command of the program matches --inside</source>
        <translation>不适用：程序没有与 --inside 匹配的命令</translation>
    </message>
    <message>
        <source>--%1: not with --config</source>
        <translation>--%1：不能与 --config 一起使用</translation>
    </message>
    <message>
        <source>--config: the file names the programs; omit %1</source>
        <translation>--config：程序由文件指定；请去掉 %1</translation>
    </message>
    <message>
        <source>unknown: not reached</source>
        <translation>未知：未搜索到</translation>
    </message>
    <message>
        <source>explores the programs of a JSON file: {programs: [{name, command: [WORD], OPTION: VALUE…}], defaults: {OPTION: VALUE…}}, one after the other (with --json an object for each)</source>
        <translation>依次探索 JSON 文件中的程序：{programs: [{name, command: [WORD], OPTION: VALUE…}], defaults: {OPTION: VALUE…}}（加 --json 时每个程序一个对象）</translation>
    </message>
    <message>
        <source>unknown field; there are %1</source>
        <translation>未知字段；可用的有 %1</translation>
    </message>
    <message>
        <source>unknown field (did you mean &quot;%1&quot;?)</source>
        <translation>未知字段（是否指“%1”？）</translation>
    </message>
    <message>
        <source>the program is missing</source>
        <translation>缺少程序</translation>
    </message>
    <message>
        <source>a word cannot contain a null character</source>
        <translation>单词不能含空字符</translation>
    </message>
    <message>
        <source>a name cannot contain a slash</source>
        <translation>名称不能含斜线</translation>
    </message>
    <message>
        <source>another program has this name</source>
        <translation>另一个程序已用此名称</translation>
    </message>
    <message>
        <source>there is no program</source>
        <translation>没有程序</translation>
    </message>
    <message>
        <source>time limit. Each promise may use the remaining time divided by the number of promises without a result</source>
        <translation>时间上限。每项保证可用的时间是剩余时间除以尚无结果的保证的数目</translation>
    </message>
    <message>
        <source>keys that are locks, for owner-only-release; may be repeated. Default: keys written before the client is inside, except counters: numbers without a token that are never deleted. A counter is a lock if no other key is one</source>
        <translation>作为锁的键，用于 owner-only-release；可重复。默认为客户端进入前写过的键，计数器除外，即不含令牌、从不删除的数字。若没有别的键是锁，计数器也算锁</translation>
    </message>
    <message>
        <source>expirations per schedule; default 1. For mutual-exclusion, only the keys of dead processes expire. An expiration during a pause of the process that wrote the key is not counted, and not excluded</source>
        <translation>每个调度中的过期次数；默认 1。对 mutual-exclusion 而言，只有已死进程的键会过期。写键的进程自己暂停期间发生的过期不计入，也不排除</translation>
    </message>
    <message>
        <source>Lock: %1 (written before the client is inside; no other key is a lock).</source>
        <translation>锁：%1（在客户端进入前写入；没有别的键是锁）。</translation>
    </message>
    <message>
        <source>--tls: %1 is a socket</source>
        <translation>--tls：%1 是套接字</translation>
    </message>
    <message>
        <source>--cacert, --cert, --key, --sni and --pin are for TLS, and %1 goes without: such a URL begins with rediss://, or add --tls</source>
        <translation>--cacert、--cert、--key、--sni 和 --pin 用于 TLS，而 %1 不用 TLS：这样的 URL 以 rediss:// 开头，或者加上 --tls</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>%1: the lock was kept: %2</source>
        <translation>%1：锁保住了：%2</translation>
    </message>
    <message>
        <source>
Options of every command:
{options}

Environment:
  LATCHKEY_URL           server, if there is no --url
  LATCHKEY_PASSWORD      its password
  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none
  LATCHKEY_SENTINEL_PASSWORD
                         password at the sentinels, if the URL has none
  LATCHKEY_SERVERS       file of the saved servers
  LATCHKEY_TOKEN         token of a lock, if there is no --token or --token-file
  LATCHKEY_REDIS_SERVER  program for private servers (explore, story); default: redis-server or valkey-server
  LC_ALL, LC_MESSAGES, LANG
                         language: English or Simplified Chinese; JSON is always in English
  COLUMNS                width of the help, default 80, and of the table of ls on a terminal
  NO_COLOR               if not empty: no colours on a terminal

A password on the command line (in --url, or the --password-file) goes before one in the environment (in LATCHKEY_URL, or LATCHKEY_PASSWORD), and that before one in the keychain (of --server). Two different ones of the same rank are an error.

Durations are written 500ms, 5s, 2m, 1h or 7d.

Exit codes: 0 yes; 1 a clear no (busy, not the owner, gone, miss); 2 wrong usage; 3 server or connection error, or an outcome that cannot be known. run gives the code of its program.

Examples:
  latchkey-cli --ssh me@jump.example --url redis://10.0.0.7:6379 ls
  latchkey-cli --proxy socks5://127.0.0.1:1080 --url rediss://db.example ls
  token=$(latchkey-cli acquire token lock:orders --lease 10s) &amp;&amp; latchkey-cli release token lock:orders --token &quot;$token&quot;
</source>
        <translation>
每个命令都有的选项：
{options}

环境变量：
  LATCHKEY_URL           没有 --url 时的服务器
  LATCHKEY_PASSWORD      它的密码
  LATCHKEY_PROXY_PASSWORD  代理的 URL 中没有密码时代理的密码
  LATCHKEY_SENTINEL_PASSWORD
                         URL 中没有时哨兵的密码
  LATCHKEY_SERVERS       按名称保存的服务器所在的文件
  LATCHKEY_TOKEN         没有 --token 或 --token-file 时锁的令牌
  LATCHKEY_REDIS_SERVER  私有服务器（explore、story）所用的程序，否则为 redis-server 或 valkey-server
  LC_ALL, LC_MESSAGES, LANG
                         文字的语言：英语或简体中文；JSON 始终是英语
  COLUMNS                帮助的宽度，默认 80；也是 ls 的表格在终端上的宽度
  NO_COLOR               非空时终端上没有颜色

命令行上的密码（在 --url 中，或 --password-file）优先于环境中的（在 LATCHKEY_URL 中，或 LATCHKEY_PASSWORD），后者优先于钥匙串中的（用 --server 时）。同一级别给出两个不同的密码是错误。

时长写作 500ms、5s、2m、1h 或 7d。

退出码：0 是；1 明确的否（忙、不是持有者、锁已不在、未命中）；2 用法错误；3 服务器或连接出错，或结果无从得知。run 给出其程序的退出码。

示例：
  latchkey-cli --ssh me@jump.example --url redis://10.0.0.7:6379 ls
  latchkey-cli --proxy socks5://127.0.0.1:1080 --url rediss://db.example ls
  token=$(latchkey-cli acquire token lock:orders --lease 10s) &amp;&amp; latchkey-cli release token lock:orders --token &quot;$token&quot;
</translation>
    </message>
    <message>
        <source>Prints the name and the version of the program, its commit, and the versions of Qt and hiredis, as -V and --version do.

Exit code: 0.

Example:
  latchkey-cli version
</source>
        <translation>打印本程序的名称和版本、其提交，以及 Qt 和 hiredis 的版本，与 -V 和 --version 相同。

退出码：0。

示例：
  latchkey-cli version
</translation>
    </message>
    <message>
        <source>%1 is the primary now, instead of %2</source>
        <translation>%1 现在是主节点，取代 %2</translation>
    </message>
    <message>
        <source>a failover took place, and %1 is the primary now, instead of %2</source>
        <translation>发生了故障转移，%1 现在是主节点，取代 %2</translation>
    </message>
    <message>
        <source>--reverse: of an order, so with --sort</source>
        <translation>--reverse：针对顺序，因此须与 --sort 一起使用</translation>
    </message>
    <message>
        <source>all keys sorted by this column, which takes memory for all of them; without a value last</source>
        <translation>所有键按此列排序，需要容纳所有键的内存；没有值的排在最后</translation>
    </message>
    <message>
        <source>with --sort: the greatest first</source>
        <translation>与 --sort 一起：最大的在前</translation>
    </message>
    <message>
        <source>primary: %1</source>
        <translation>主节点：%1</translation>
    </message>
    <message>
        <source>replica %1  %2, %3 bytes behind, last confirmation %4 s ago</source>
        <translation>副本 %1  %2，落后 %3 字节，上次确认在 %4 秒之前</translation>
    </message>
    <message>
        <source>min-replicas-to-write is not known</source>
        <translation>min-replicas-to-write 未知</translation>
    </message>
    <message>
        <source>Not a lock: %1 (without a token, never deleted; --lock names locks).</source>
        <translation>不是锁：%1（不含令牌，从未被删除；用 --lock 指定锁）。</translation>
    </message>
    <message>
        <source>--data names keys that may stay forever</source>
        <translation>用 --data 指定可以永久存在的键</translation>
    </message>
    <message>
        <source>redis://[user[:password]@]host[:port][/db], the same with rediss:// for TLS, unix:///path/to.sock?db=N, or redis+sentinel://host[:port],host.../master[/db] with sentinels; else LATCHKEY_URL, else redis://127.0.0.1:6379</source>
        <translation>redis://[user[:password]@]host[:port][/db]，用 TLS 时为 rediss://，unix:///path/to.sock?db=N，或带哨兵的 redis+sentinel://host[:port],host.../master[/db]；否则取 LATCHKEY_URL，再否则为 redis://127.0.0.1:6379</translation>
    </message>
    <message>
        <source>with TLS, as rediss:// does; for --host, --port, LATCHKEY_URL and the default</source>
        <translation>使用 TLS，与 rediss:// 相同；用于 --host、--port、LATCHKEY_URL 和默认服务器</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>not all</source>
        <translation>不是全部</translation>
    </message>
    <message>
        <source>notify-keyspace-events is &quot;%1&quot;</source>
        <translation>notify-keyspace-events 为“%1”</translation>
    </message>
    <message>
        <source>notify-keyspace-events is not known</source>
        <translation>notify-keyspace-events 未知</translation>
    </message>
    <message>
        <source>keyspace notifications</source>
        <translation>键空间通知</translation>
    </message>
    <message>
        <source>client tracking</source>
        <translation>客户端跟踪</translation>
    </message>
    <message>
        <source>polling only, so short changes are missed</source>
        <translation>只有轮询，所以看不到短暂的变化</translation>
    </message>
    <message>
        <source>watching takes at most %1 % of its core</source>
        <translation>观察最多占用它的核的 %1 %</translation>
    </message>
    <message>
        <source>not known without the number of keys; %1</source>
        <translation>不知道键的数量，所以未知；%1</translation>
    </message>
    <message>
        <source>a look at all keys: commands: %1</source>
        <translation>查看所有键：命令 %1 条</translation>
    </message>
    <message>
        <source>%1; the server does not say how long its commands take</source>
        <translation>%1；服务器不说明其命令用多少时间</translation>
    </message>
    <message>
        <source>%1, about %2 of the server; %3</source>
        <translation>%1，约占服务器 %2；%3</translation>
    </message>
    <message>
        <source>user</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>key names</source>
        <translation>键名</translation>
    </message>
    <message>
        <source>expiry</source>
        <translation>过期</translation>
    </message>
    <message>
        <source>types</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>clients</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>开销</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>permit</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>unknown to the primary after the failover, last change not read</source>
        <translation>故障转移之后的主节点不知道它，最后一次变化没有读到</translation>
    </message>
    <message>
        <source>the primary before the failover knew it differently</source>
        <translation>故障转移之前的主节点所知不同</translation>
    </message>
    <message>
        <source>unknown to the primary after the failover</source>
        <translation>故障转移之后的主节点不知道它</translation>
    </message>
    <message>
        <source>unknown to the primary after the failover, %1 before its deadline</source>
        <translation>故障转移之后的主节点不知道它，距截止时间还有 %1</translation>
    </message>
    <message>
        <source>Usage: latchkey [--demo] [--dialog] [URL|FILE]

Watches the locks and expiring keys of a Redis server.

  URL            redis://[user[:password]@]host[:port][/db], the same with rediss:// for TLS, or unix:///path/to.sock?db=N, or redis+sentinel://host[:port],host.../master[/db] with sentinels; else LATCHKEY_URL, else the last one, else the local one. Behind rediss://host:port/db may stand ?cacert=FILE, cert=FILE, key=FILE, sni=NAME and pin=SHA256, joined by &amp;. Behind any of them may stand ssh=[USER@]HOST[:PORT], for a server behind that host, or proxy=URL (socks5:// or http://).
  FILE           a recording, see latchkey-cli replay --help: it is shown, and no server is opened; or a story with a name that ends in .json, see latchkey-cli story --help: it is shown on the page Stories

Options:
  --demo         start a private server with a few clients at work
  --dialog       show an error in a dialog too, for a start without a terminal
  --man          print a page for man(1)
  -h, --help     print this help
  -v, --version  print the version

Environment:
  LATCHKEY_URL           the server, where none is named here
  LATCHKEY_PASSWORD      its password, where the URL has none
  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none
  LATCHKEY_SENTINEL_PASSWORD  password at the sentinels, if the URL has none
  LATCHKEY_REDIS_SERVER  the program for a private server, else redis-server or valkey-server
  COLUMNS                width of the help; default 80

A password in the URL goes before LATCHKEY_PASSWORD; beside a different one in LATCHKEY_URL it is an error.

Examples:
  latchkey
  latchkey redis://127.0.0.1:6379/2
  latchkey &apos;redis://10.0.0.7:6379?ssh=me@jump.example&apos;
  latchkey bug.latchkey-recording
  latchkey race.latchkey-story.json
  latchkey --demo
</source>
        <translation>用法：latchkey [--demo] [--dialog] [URL|FILE]

观察 Redis 服务器上的锁和会过期的键。

  URL            redis://[user[:password]@]host[:port][/db]，用 TLS 时为 rediss://，unix:///path/to.sock?db=N，或带哨兵的 redis+sentinel://host[:port],host.../master[/db]；否则取 LATCHKEY_URL，再否则为上次的服务器，再否则为本机的。在 rediss://host:port/db 之后可以有 ?cacert=FILE、cert=FILE、key=FILE、sni=NAME 和 pin=SHA256，以 &amp; 连接。在任何一种之后都可以有 ssh=[USER@]HOST[:PORT]，用于该主机之后的服务器，或 proxy=URL（socks5:// 或 http://），即代理。
  FILE           录制文件，见 latchkey-cli replay --help：显示它，不打开任何服务器；或一个故事，其名称以 .json 结尾，见 latchkey-cli story --help：在“故事”页上显示它

选项：
  --demo         启动一台私有服务器，有几个客户端在工作
  --dialog       也在对话框中显示错误，用于不从终端启动时
  --man          打印 man(1) 的手册页
  -h, --help     打印此帮助
  -v, --version  打印版本

环境变量：
  LATCHKEY_URL           这里没有指明时的服务器
  LATCHKEY_PASSWORD      URL 中没有时它的密码
  LATCHKEY_PROXY_PASSWORD  代理的 URL 中没有密码时代理的密码
  LATCHKEY_SENTINEL_PASSWORD  URL 中没有时哨兵的密码
  LATCHKEY_REDIS_SERVER  私有服务器所用的程序，否则为 redis-server 或 valkey-server
  COLUMNS                帮助的宽度，默认 80

URL 中的密码优先于 LATCHKEY_PASSWORD；与 LATCHKEY_URL 中的密码不同则是错误。

示例：
  latchkey
  latchkey redis://127.0.0.1:6379/2
  latchkey &apos;redis://10.0.0.7:6379?ssh=me@jump.example&apos;
  latchkey bug.latchkey-recording
  latchkey race.latchkey-story.json
  latchkey --demo
</translation>
    </message>
    <message>
        <source>a story needs no --demo</source>
        <translation>故事不需要 --demo</translation>
    </message>
    <message>
        <source>watches the locks and expiring keys of a Redis server</source>
        <translation>观察 Redis 服务器上的锁和会过期的键</translation>
    </message>
    <message>
        <source>expect: the server is a cluster, and one node is watched: it has not all of these keys; give each expectation of one key to a run of its own, or name keys with the same hash tag, such as {name}</source>
        <translation>expect：服务器是集群，而只观察一个节点，它没有全部这些键；请为每个键的期望单独运行一次，或使用哈希标签相同（例如 {name}）的键</translation>
    </message>
    <message>
        <source>servers of each process, 1 to 7, for locks on a majority of several servers; default 1. REDIS_URLS and REDIS_HOSTS name them, separated by commas; REDIS_URL is the first</source>
        <translation>每个进程的服务器数，1 到 7，用于由几台服务器的多数持有的锁；默认为 1。REDIS_URLS 和 REDIS_HOSTS 列出它们，以逗号分隔；REDIS_URL 是第一台</translation>
    </message>
    <message>
        <source>--fixed-port: only with one server</source>
        <translation>--fixed-port：只能用于一台服务器</translation>
    </message>
    <message>
        <source>--inside: only with one server, because the reply of one server does not show whether the client has a majority; let the program send ECHO latchkey:inside</source>
        <translation>--inside：只能用于一台服务器，因为一台服务器的应答不能说明客户端是否得到了多数；请让程序发送 ECHO latchkey:inside</translation>
    </message>
    <message>
        <source>INFO keyspace: the reply has no section Keyspace</source>
        <translation>INFO keyspace：应答中没有 Keyspace 一节</translation>
    </message>
    <message>
        <source>DB</source>
        <translation>DB</translation>
    </message>
    <message>
        <source>ls, database %1</source>
        <translation>ls，数据库 %1</translation>
    </message>
    <message>
        <source>--all-databases and --db exclude each other</source>
        <translation>--all-databases 与 --db 不能同时使用</translation>
    </message>
    <message>
        <source>the keys of all databases that have keys, one database after the other, with a column db; needs INFO and SELECT</source>
        <translation>所有含有键的数据库的键，一个数据库接一个数据库，带有列 db；需要 INFO 和 SELECT</translation>
    </message>
    <message>
        <source>nothing of %1 has been seen for %2: %3</source>
        <translation>已有 %2 没有看到 %1 的任何信息：%3</translation>
    </message>
    <message>
        <source>nothing of %1 was seen for %2</source>
        <translation>有 %2 没有看到 %1 的任何信息</translation>
    </message>
    <message>
        <source>watch: the server is a cluster, and one node is watched, because %1: keys of the other nodes are not seen, and a lock that moves to another node ends here</source>
        <translation>watch：服务器是集群，只监视一个节点，因为%1：看不到其他节点的键，迁移到其他节点的锁在此结束</translation>
    </message>
    <message>
        <source>--record is of one node</source>
        <translation>--record 只针对一个节点</translation>
    </message>
    <message>
        <source>the server does not name the others (CLUSTER SLOTS)</source>
        <translation>服务器没有给出其他节点 (CLUSTER SLOTS)</translation>
    </message>
    <message>
        <source>a program to explore goes behind --: latchkey-cli explore -- %1</source>
        <translation>要查找的程序写在 -- 之后：latchkey-cli explore -- %1</translation>
    </message>
    <message>
        <source>a RECIPE, -- COMMAND or --play is missing; see latchkey-cli explore --help</source>
        <translation>缺少 RECIPE、-- COMMAND 或 --play；见 latchkey-cli explore --help</translation>
    </message>
    <message>
        <source>Deadlock in some schedules: a client waits for ever. The shortest:</source>
        <translation>某些调度中出现死锁：有客户端永远等待。最短的一个：</translation>
    </message>
    <message>
        <source>Not every schedule was searched. --preemptions 2 often reduces their number greatly: most races need one or two preemptions. --promise searches one promise alone, and --for shares its time among all.</source>
        <translation>没有搜索完所有调度。--preemptions 2 往往会大大减少其数量：大多数竞态只需要一到两次抢占。--promise 只搜索一项保证，--for 把时间分给所有保证。</translation>
    </message>
    <message>
        <source>--%1: the value is missing before --</source>
        <translation>--%1：-- 之前缺少值</translation>
    </message>
    <message>
        <source>--%1: the pattern is empty</source>
        <translation>--%1：模式为空</translation>
    </message>
    <message>
        <source>watch: locks that ended in a way that is not known, and that may be one of --event: %1; --event ended prints them</source>
        <translation>watch：以未知方式结束、可能属于 --event 之一的锁：%1；--event ended 会打印它们</translation>
    </message>
    <message>
        <source>%1, and no lease that ends under a living holder</source>
        <comment>limits of a search</comment>
        <translation>%1，且没有租约在存活的持有者手中结束</translation>
    </message>
    <message>
        <source>does not apply: %1</source>
        <translation>不适用：%1</translation>
    </message>
    <message>
        <source>Not a lock: %1 (an element is removed before the client is inside).</source>
        <translation>不是锁：%1（客户端在进入之前取走了它的一个元素）。</translation>
    </message>
    <message>
        <source>Livelock in some schedules: clients repeat commands for ever. One of them:</source>
        <translation>某些调度中有活锁：客户端永远重复同样的命令。其中之一：</translation>
    </message>
    <message>
        <source>--without: not for a program; --crashes 0 and --expirations 0 leave faults out</source>
        <translation>--without：探索程序时不能使用；--crashes 0 和 --expirations 0 可去掉相应的故障</translation>
    </message>
    <message>
        <source>Watches keys of the server, and checks expectations about their expiry. Nothing is written to the server.

  KEY gone between 1s and 2s     the key ends between these times
  KEY exists until 5s            the key exists at least for this time
  KEY renewed at least every 10s
                                 at most this time passes between two renewals
  KEY never without expiry       the key has an expiry whenever it is read

KEY is a key or, with * or ?, a pattern; each matching key is judged. \* \? \[ \] are these characters themselves, as in ls: &apos;lock:\*&apos; is one key. Times start when the key appears, or at the first read of an existing key. With `after writing` at their end, the first two forms judge only keys with an observed write, from their last write on. A write of the same value with a new expiry looks like a renewal: only keyspace notifications tell them apart, and without them the verdict is not known if it depends on that.

{options}

A verdict is `holds`, `fails` or `not known`. The end of a key is known only to the interval between two reads (25 ms for a dozen keys, 2 s for a thousand; a few ms around its expiry). If the observations fit both verdicts, the verdict is not known, and the expectation does not pass.
With --json: {outcome, watched_ms, unseen_ms, round_trip_ms, means, left_out, coverage, expectations:
[{expectation, outcome, keys: [{key, outcome, why, text, least_ms, most_ms, since, ending, count}]}]}.
outcome is holds, fails or unknown; since is `writing` or `first-look`. coverage is {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}: which keys were read, what the server refused, and how long nothing was seen.
Exit code: 0 all hold; 1 one fails; 2 wrong usage; 3 a verdict is not known, the coverage is incomplete, or the server cannot be reached.

Examples:
  latchkey-cli expect &apos;session:7 gone between 4.9s and 5.2s after writing&apos;
  latchkey-cli expect &apos;lock:* renewed at least every 10s&apos; &apos;cache:* never without expiry&apos; --for 1m
  latchkey-cli expect --file expiry.txt --junit expiry.xml
</source>
        <translation>观察服务器的键，并说明每个键是否如期望的那样。不会向服务器写入任何内容。

  KEY gone between 1s and 2s     它在这段时间内结束
  KEY exists until 5s            它至少存在这么久
  KEY renewed at least every 10s
                                 两次续期之间不超过这么久
  KEY never without expiry       每次查看时它都有过期时间

KEY 是一个键，或者含 * 或 ? 时是键的模式，匹配的每个键分别判定。\* \? \[ \] 与 ls 中一样表示这些字符本身：&apos;lock:\*&apos; 是一个键。时间从键出现时算起；已经存在的键从第一次查看时算起。前两种之后加上 `after writing`，就只判定看到其写入的键，从最后一次写入算起。用同一个值再次写入并设置新的过期时间，看起来就像续期：只有键空间通知能区分两者；没有通知时，如果判定取决于此，结果就是未知。

{options}

判定为 `holds`、`fails` 或 `not known`：键何时消失，只能精确到各次查看的间隔（十来个键为 25 ms，一千个键为 2 s；临近结束时更短一些），所看到的情况可能两种都符合。这不算通过。
加 --json 时输出：{outcome, watched_ms, unseen_ms, round_trip_ms, means, left_out, coverage, expectations: [{expectation, outcome, keys: [{key, outcome, why, text, least_ms, most_ms, since, ending, count}]}]}。outcome 为 holds、fails 或 unknown；since 为 `writing` 或 `first-look`。
coverage 为 {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}：看了服务器的哪些键、服务器拒绝了什么、有多久什么也没看到。
退出码：0 全部成立；1 有一条不成立；2 用法错误；3 有的未知、观察范围不完整，或无法连接服务器。

示例：
  latchkey-cli expect &apos;session:7 gone between 4.9s and 5.2s after writing&apos;
  latchkey-cli expect &apos;lock:* renewed at least every 10s&apos; &apos;cache:* never without expiry&apos; --for 1m
  latchkey-cli expect --file expiry.txt --junit expiry.xml
</translation>
    </message>
    <message>
        <source>keys of this node: %1</source>
        <translation>本节点的键：%1</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>one node of a cluster, primaries: %1, cluster state: %2</source>
        <translation>集群的一个节点，主节点数：%1，集群状态：%2</translation>
    </message>
    <message>
        <source>replica of %1</source>
        <translation>%1 的副本</translation>
    </message>
    <message>
        <source>replica of %1, and the link to it is down: keys may be missing or out of date</source>
        <translation>%1 的副本，与它的连接已断开：键可能缺失或已过时</translation>
    </message>
    <message>
        <source>at the end</source>
        <translation>结束时</translation>
    </message>
    <message>
        <source>no such key</source>
        <translation>没有这个键</translation>
    </message>
    <message>
        <source>: there is no such key yet</source>
        <translation>：还没有这个键</translation>
    </message>
    <message>
        <source>Not a lock: %1 (it gets the removed element, and does not show who has it).</source>
        <translation>不是锁：%1（取走的元素移到这里，但看不出它在谁手里）。</translation>
    </message>
    <message>
        <source>at most %1 late</source>
        <translation>最多晚 %1</translation>
    </message>
    <message>
        <source>only for a recipe: excludes a fault, crashes or lapses; may be repeated</source>
        <translation>仅用于方案：略去保证所容许的一种故障，crashes 或 lapses；可以重复</translation>
    </message>
    <message>
        <source>pattern of the command after which a client is not inside, such as &apos;DEL lock -&gt; any&apos;; may be repeated. Without it, a client is inside until it ends. All patterns are one critical section</source>
        <translation>命令模式，客户端在该命令之后不再处于内部，例如 &apos;DEL lock -&gt; any&apos;；可以重复。不给出时，客户端直到结束都处于内部。所有模式属于同一个临界区</translation>
    </message>
    <message>
        <source>--outside: only with --inside</source>
        <translation>--outside：只能与 --inside 一起使用</translation>
    </message>
    <message>
        <source>Prints the content of KEY, read by RECIPE: a value byte for byte, or a line FIELD=VALUE for each field.
On a terminal, characters that it does not show are printed as \xNN.

With the recipe guarded and a COMMAND, a miss is recomputed: the standard output of COMMAND, complete and byte for byte, is the value, which is cached and printed. Only one client recomputes at a time, under a guard that it renews while COMMAND runs. If COMMAND fails, nothing is cached, and the next client may try. If this command is killed, the kernel kills COMMAND, but not the children of COMMAND, and the guard ends with its lease. The environment of COMMAND contains the server of --url as LATCHKEY_URL and the password of --password-file as LATCHKEY_PASSWORD.

{options}

A value larger than 64 MiB is not read: that is an error (3). It is not cached either: a COMMAND that writes more is ended with SIGTERM, nothing is printed, and the next client may try.

The keys of a replica without a link to its primary may be missing or out of date: that is reported on standard error (3), and as out_of_date in the JSON.

With --json {outcome: &quot;hit&quot;|&quot;miss&quot;, value|fields, pttl_ms}, with a COMMAND {outcome:
&quot;hit&quot;|&quot;stale&quot;|&quot;recomputed&quot;|&quot;busy&quot;|&quot;failed&quot;, value, pttl_ms}, and exit_code if COMMAND failed. pttl_ms is -1 without expiry, null if the key does not hold the value. Data that is not UTF-8 is printed also as value_base64, and as the pairs of fields_base64.
Exit code: 0 a value, 1 none (miss, still busy, COMMAND failed), 2 wrong usage, 3 error or unknown outcome, also if a recomputed value was printed but could not be cached.

Examples:
  latchkey-cli get hash-lua user:7 --json
  latchkey-cli get guarded report --ttl 5m --policy stale -- make-report --month 7
</source>
        <translation>打印 KEY 存放的内容，按 RECIPE 的方式读取：值逐字节打印，或每个字段一行 FIELD=VALUE。在终端上，会被终端当作控制的内容写作 \xNN。

使用方案 guarded 和 COMMAND 时，未命中会重算：COMMAND 的标准输出，完整且逐字节地，就是该值；它会被缓存并打印。同一时刻只有一个客户端重算，受守卫锁保护，COMMAND 运行期间守卫锁会续期。如果 COMMAND 失败，则不缓存任何内容，下一个客户端可以再试。如果本命令被杀死，内核会杀死 COMMAND（但不包括 COMMAND 启动的程序），守卫锁随其租约结束。COMMAND 的环境中有 LATCHKEY_URL（--url 的服务器）和 LATCHKEY_PASSWORD（--password-file 中的密码）。

{options}

大于 64 MiB 的值不会被读取：这是错误（3）。也不会被缓存：输出更多的 COMMAND 会被 SIGTERM 终止，不打印任何内容，下一个客户端可以再试。

与主节点没有连接的副本，键可能缺失或已过时：标准错误会说明（3），JSON 中为 out_of_date。

加 --json 时输出 {outcome: &quot;hit&quot;|&quot;miss&quot;, value|fields, pttl_ms}；有 COMMAND 时输出 {outcome: &quot;hit&quot;|&quot;stale&quot;|&quot;recomputed&quot;|&quot;busy&quot;|&quot;failed&quot;, value, pttl_ms}，COMMAND 失败时还有 exit_code。没有过期时间时 pttl_ms 为 -1，键没有存放该值时为 null。不是 UTF-8 的内容另以 value_base64 以及 fields_base64 中的成对值给出。
退出码：0 有值，1 没有值（未命中、仍忙、COMMAND 失败），2 用法错误，3 出错或结果未知，重算的值已打印但无法缓存时也是 3。

示例：
  latchkey-cli get hash-lua user:7 --json
  latchkey-cli get guarded report --ttl 5m --policy stale -- make-report --month 7
</translation>
    </message>
    <message>
        <source>; whether the lock is held is unknown, and nothing was changed</source>
        <translation>；锁是否被持有未知，没有改变任何内容</translation>
    </message>
    <message>
        <source>another process answers: locks that the server had may be lost</source>
        <translation>另一个进程在应答：服务器原有的锁可能已丢失</translation>
    </message>
    <message>
        <source>another process answers at %1: locks that it had may be lost</source>
        <translation>%1 由另一个进程应答：它原有的锁可能已丢失</translation>
    </message>
    <message>
        <source>Releases the lock KEY by RECIPE. Recipes with tokens release only with the token of acquire.

{options}

A lock is refused by --force if it is not recognised, or if its library does more than delete the key.
With RECIPE, the key counts as a lock.

With --json {outcome: &quot;released&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;}; unknown also for a replica without a link to its primary, because its keys may be out of date; with --force also &quot;changed&quot; (renewed or changed after it was read), &quot;refused&quot; and &quot;declined&quot;.
Exit code: 0 released, 1 not released: not the owner, gone, changed, refused or declined, 2 wrong usage, 3 error or unknown outcome.

Examples:
  latchkey-cli release token lock:orders --token &quot;$token&quot;
  latchkey-cli release lock:orders --force
</source>
        <translation>按 RECIPE 的方式释放锁 KEY。使用令牌的方案只凭 acquire 给出的令牌释放。

{options}

没有被识别的锁，或其库释放时不只是删除键的锁，--force 会拒绝。给出 RECIPE 时，键算作锁。

加 --json 时输出 {outcome: &quot;released&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;}；与主节点没有连接的副本也得到 unknown，因为它的键可能已过时；加 --force 还有 &quot;changed&quot;（读取之后已续期或改变）、&quot;refused&quot; 和 &quot;declined&quot;。
退出码：0 已释放，1 没有释放：不是持有者、锁已不在、已改变、被拒绝或没有确认，2 用法错误，3 出错或结果未知。

示例：
  latchkey-cli release token lock:orders --token &quot;$token&quot;
  latchkey-cli release lock:orders --force
</translation>
    </message>
    <message>
        <source>Gives the lock KEY a new lease from now on, if it is still held with the token. It never creates a lock.

{options}

With --json {outcome: &quot;extended&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;}; unknown also for a replica without a link to its primary, because its keys may be out of date.
Exit code: 0 extended, 1 not the owner or gone, 2 wrong usage, 3 error or unknown outcome.

Example:
  latchkey-cli extend token lock:orders --token &quot;$token&quot; --lease 30s
</source>
        <translation>如果锁 KEY 仍由该令牌持有，就从现在起给它一个新租约。绝不会重新建立锁。

{options}

加 --json 时输出 {outcome: &quot;extended&quot;|&quot;not-owner&quot;|&quot;gone&quot;|&quot;unknown&quot;}；与主节点没有连接的副本也得到 unknown，因为它的键可能已过时。
退出码：0 已续期，1 不是持有者或锁已不在，2 用法错误，3 出错或结果未知。

示例：
  latchkey-cli extend token lock:orders --token &quot;$token&quot; --lease 30s
</translation>
    </message>
    <message>
        <source>: if it was acquired, it may be held until it is released, because its lease is set by a second command</source>
        <translation>：如果已获取，它可能一直被持有，直到被释放，因为它的租约由第二条命令设置</translation>
    </message>
    <message>
        <source>: busy; %1</source>
        <translation>：忙；%1</translation>
    </message>
    <message>
        <source>Not a lock: %1 (no reply before the client is inside depends on it; --lock names locks).</source>
        <translation>不是锁：%1（客户端进入之前没有任何应答取决于它；--lock 指定锁）。</translation>
    </message>
    <message>
        <source>print only events of this kind; can be repeated. blind, sees, restarted and failed-over are always printed</source>
        <translation>只打印这种事件，可以重复；blind、sees、restarted 和 failed-over 总会打印</translation>
    </message>
    <message>
        <source>--for: it needs a single --url</source>
        <translation>--for：只能用于一个 --url</translation>
    </message>
    <message>
        <source>votes for it, time left: %1</source>
        <translation>投给它，剩余时间：%1</translation>
    </message>
    <message>
        <source>has another holder, %1, time left: %2</source>
        <translation>记有另一个持有者 %1，剩余时间：%2</translation>
    </message>
    <message>
        <source>has no such key</source>
        <translation>没有这个键</translation>
    </message>
    <message>
        <source>not known: %1</source>
        <translation>未知：%1</translation>
    </message>
    <message>
        <source>votes</source>
        <translation>票数</translation>
    </message>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%2 票中的 %1 票，%3</translation>
    </message>
    <message>
        <source>majority</source>
        <translation>多数</translation>
    </message>
    <message>
        <source>without expiry</source>
        <translation>没有过期时间</translation>
    </message>
    <message>
        <source>ends in %1 unless renewed</source>
        <translation>如不续期，将在 %1 后结束</translation>
    </message>
    <message>
        <source>valid</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>for its holder: at most %1, the first expiry less the drift of the clocks</source>
        <translation>对其持有者：最多还有 %1，即最早的过期时间减去时钟漂移</translation>
    </message>
    <message>
        <source>for its holder: no longer</source>
        <translation>对其持有者：已失效</translation>
    </message>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>the command ping is called status now</source>
        <translation>命令 ping 现在叫做 status</translation>
    </message>
    <message>
        <source>%1: the server reported no changes for %2, so a key that came and went meanwhile may be missing</source>
        <translation>%1：服务器有 %2 没有报告变化，期间短暂出现过的键可能缺失</translation>
    </message>
    <message>
        <source>%1: the server does not report changes any more; polling is used meanwhile</source>
        <translation>%1：服务器不再报告变化，期间改用轮询</translation>
    </message>
    <message>
        <source>clients do not block each other for ever</source>
        <translation>客户端不会永远互相阻塞</translation>
    </message>
    <message>
        <source>the lock is about to be lost: %1</source>
        <translation>即将失去锁：%1</translation>
    </message>
    <message>
        <source>the lock was lost: %1</source>
        <translation>失去了锁：%1</translation>
    </message>
    <message>
        <source>%1: GLOB is empty: is a variable not set? For all keys, omit it, or use &quot;*&quot;</source>
        <translation>%1：GLOB 是空的：是不是有变量没有设置？要包括所有键，请省略 GLOB，或使用 &quot;*&quot;</translation>
    </message>
    <message>
        <source>Not a lock: %1 (the client keeps it when it releases another key; --lock names locks).</source>
        <translation>不是锁：%1（客户端释放另一个键时保留它；--lock 指定锁）。</translation>
    </message>
    <message>
        <source>settings of the server: %1</source>
        <translation>服务器的设置：%1</translation>
    </message>
    <message>
        <source>%1: the settings of the server were not read, so findings may be missing: %2</source>
        <translation>%1：未能读取服务器的设置，因此可能缺少一些问题：%2</translation>
    </message>
    <message>
        <source>not recorded, value &quot;%1&quot;</source>
        <translation>未记录，值为“%1”</translation>
    </message>
    <message>
        <source>Reads one key and related keys, and prints which library may have written it as a lock, the evidence, and the holder. If the kind is not certain, the other possible kinds are printed too. Findings follow:
certain or possible problems of the lock, from a single read. The window has a history and may find more.
Nothing is written to the server. With --for the key is watched for that time (Ctrl+C ends it earlier), even if it does not exist yet. The text begins with the state at the start; the JSON and the exit code are those of the end. Then the history of the lock is printed: each holder, the start and end of each hold, the cause and delay of each end, and which of these were inferred; and statistics of the holds: duration, contention, used share of the lease, causes of their ends.

{options}

With several --url, which name independent servers, the key is read on each, and the servers vote for its holder as for a redlock: how many vote for one holder, whether they are a majority, when the majority ends, and how long the holder may rely on the lock.

If the server has lifetimes of hash fields, the fields of a hash that have one are printed, earliest end first.

JSON: an object as in ls, but with exists (false only with --for; then type, pttl_ms and holder are null), with findings: [{id, severity, seen, title, evidence, meaning, advice}], and with &quot;denied&quot;: the requests that the server refused, and coverage: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}: what was read, and how long nothing was seen. With --for also history:
{watched_ms, means, holds: [{holder, start, from_ms, from_uncertain_ms, held_ms, extensions, lease_ms, until_ms, until_uncertain_ms, end, late_ms, inferred, possibly_own_read}], gaps: [{from_ms, to_ms}], statistics: {holds, ended, mean_held_ms, mean_held_uncertain_ms, longest_held_ms, longest_held_uncertain_ms, lease_used, contended, handed_over, extensions, longest_late_ms, ends: {END: COUNT}}}. start is seen (the hold began earlier), acquired, handed-over or replaced; end is an event of watch, and null for the current hold. The statistics are those of the ended holds; holds and extensions count the current hold too. Held times are those of holds with observed start and end; lease_used is the share of their leases. A contended hold began within 100 ms of the end of the last one, with another holder.
With several --url also votes: {votes, servers, quorum, majority, valid_ms} and servers: [{server, vote: &quot;holds&quot;|&quot;other-holder&quot;|&quot;no-key&quot;|&quot;unknown&quot;, pttl_ms, holder, why}]. pttl_ms is then the time until the majority ends, and null without one; majority is null if it depends on a server that did not reply, or if the value names no holder.

Exit code: 0 the key exists, 1 it does not; 2 wrong usage; 3 error, or something was not seen. With several --url: 0 a majority of the servers has one holder, 1 none has.

Examples:
  latchkey-cli why lock:orders:42
  latchkey-cli why lock:orders:42 --for 1m
  latchkey-cli why lock:orders:42 -u redis://a -u redis://b -u redis://c
  latchkey-cli --url redis://127.0.0.1:6379/2 why bull:mail:1:lock --json
</source>
        <translation>读取一个键以及它旁边能说明更多情况的内容，并说明可能是哪个库把它写作锁、依据是什么、归谁持有。种类不确定时，还会给出其他可能。其下说明一眼看来锁有或可能有什么问题；保存历史的窗口可能知道得更多。不会向服务器写入任何内容。
加 --for 时会把该键观察这么久（Ctrl+C 可提前结束），即使它还不存在。文本先给出开始时的状态；JSON 和退出码是结束时的。然后说明谁从何时到何时持有过锁、每次持有如何结束、迟了多久、其中哪些只是推算；以及这些持有的总体情况：多久、竞争多频繁、用去租约的多少、如何结束。

{options}

带有多个 --url（彼此独立的服务器）时，在每台服务器上读取该键，各服务器像对 redlock 那样为其持有者投票：有多少票投给同一个持有者、是否达到多数、多数何时结束、持有者还能依靠这把锁多久。

在有字段生存时间的服务器上，会说明哈希的哪些字段会结束，先结束的在前。

JSON：与 ls 相同的对象，但有 exists（只有加 --for 时会为 false，这时 type、pttl_ms 和 holder 为 null）、findings: [{id, severity, seen, title, evidence, meaning, advice}]，以及 &quot;denied&quot;：服务器不让我们询问的内容。加 --for 时还有 history: {watched_ms, means, holds: [{holder, start, from_ms, from_uncertain_ms, held_ms, extensions, lease_ms, until_ms, until_uncertain_ms, end, late_ms, inferred, possibly_own_read}], gaps: [{from_ms, to_ms}], statistics: {holds, ended, mean_held_ms, mean_held_uncertain_ms, longest_held_ms, longest_held_uncertain_ms, lease_used, contended, handed_over, extensions, longest_late_ms, ends: {END: COUNT}}}。start 为 seen（之前就在）、acquired、handed-over 或 replaced；end 与 watch 的事件相同，仍在进行的为 null。statistics 统计已经结束的持有；holds 和 extensions 也计入当前的持有。持有时长只统计看到了开始和结束的持有，lease_used 是它们占租约的比例；contended 指在前一次结束后 100 ms 内被别人占用的持有。
coverage 为 {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}：看了什么，以及有多久什么也没看到。
带有多个 --url 时还有 votes: {votes, servers, quorum, majority, valid_ms} 和 servers: [{server, vote: &quot;holds&quot;|&quot;other-holder&quot;|&quot;no-key&quot;|&quot;unknown&quot;, pttl_ms, holder, why}]。这时 pttl_ms 是多数结束之前的时间，未达多数时为 null；是否达到多数取决于没有应答的服务器，或值没有记下持有者时，majority 为 null。

退出码：0 键存在；1 键不存在；2 用法错误；3 出错，或有些没有看到。带有多个 --url 时：0 某个持有者得到多数；1 没有。

示例：
  latchkey-cli why lock:orders:42
  latchkey-cli why lock:orders:42 --for 1m
  latchkey-cli why lock:orders:42 -u redis://a -u redis://b -u redis://c
  latchkey-cli --url redis://127.0.0.1:6379/2 why bull:mail:1:lock --json
</translation>
    </message>
    <message>
        <source>ls, %1</source>
        <translation>ls，%1</translation>
    </message>
    <message>
        <source>the settings of the server were not read, so findings may be missing: %1</source>
        <translation>未能读取服务器的设置，因此可能缺少一些问题：%1</translation>
    </message>
    <message>
        <source>--all-databases: it needs a single --url</source>
        <translation>--all-databases：只能用于一个 --url</translation>
    </message>
    <message>
        <source>Lists the keys that match a GLOB (as in SCAN: * ? [a-z]; default: all) with their type, time left, kind of lock, number of holds, number of waiters, fencing number, number of findings, holder and name. A - means none or unknown. On a terminal the columns have titles and colours, and kind and holder are cut to its width. The kind is derived from the name and the value of the key, and may be wrong; the JSON contains the evidence. Findings are certain or possible problems of a lock, found by a single read; latchkey-cli why KEY describes them.
If the server has lifetimes of hash fields, a hash without a lifetime shows the time left of its first field, as &quot;field 4.213 s&quot;.
In a file or a pipe nothing is cut, so that the line has the whole holder; COLUMNS=100 in the environment fits the columns there too, and -o csv is for programs.
Up to 20000 keys are sorted by name. More keys are printed in the order of the server, while they are read.

{options}

--json is -o json: an array of {key, type, pttl_ms, kind: {id, confidence, evidence}|null, holder, count, waiters, fencing, findings: [ID]}, and candidates: [{id, confidence}] if the kind is not certain.
pttl_ms is -1 without expiry, and null if the server refused to tell it. A key that is not UTF-8 is printed also as key_base64.
A hash with expiring fields has fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}: the number of fields, how many were read, whether that was all, how many expire, and the first hundred that expire.
With the URL of any cluster node, the keys of all primaries are listed. A primary that cannot be reached is named on standard error.
With --all-databases each row has db, the number of its database, and so has the coverage; --sort sorts within a database. A cluster has one database.

With several --url, which name independent servers, all are read at once, and each row has server, the address. With --locks too, each lock is one row with the votes of the servers for its holder, as in latchkey-cli why: votes, time left, kind, holder, the servers that have another holder, no such key or no reply, and key. The holder is that of a majority; - without one.
The time left is that until the majority ends, if no vote is renewed: of five votes for the holder, the third expiry decides. valid_ms is the time for which the holder may rely on the lock: the first expiry less the drift of the clocks.
A lock on which the servers do not agree is read again on all of them at once, so that a change during the scan is no disagreement. A server that cannot be read is named on standard error, with server in the JSON, and counts as not known.
JSON: also votes: {votes, servers, quorum, majority, valid_ms} and servers: [{server, vote: &quot;holds&quot;|&quot;other-holder&quot;|&quot;no-key&quot;|&quot;unknown&quot;, pttl_ms, holder, why}]. pttl_ms and holder are null without a majority. findings are those of all servers. CSV has the columns votes, servers, quorum, majority, valid_ms, other_holder, no_key and unknown, the last three with addresses.

Exit code: 0, also if no key matches; 2 wrong usage; 3 error, or not everything could be read.
Standard error reports what is missing, for json and jsonl as one object: {complete, looked_at, of, denied:
[{question, some_keys, why}], unread, blind_ms, unreported_ms, lag_ms, missing: [SENTENCE]}, after a failure also error, and of a cluster also cluster:
{nodes: [{node, looked_at, why}], slots_moved, unserved_slots, why}.

Examples:
  latchkey-cli ls &apos;lock:*&apos; &apos;job:*:lock&apos;
  latchkey-cli ls --locks --sort findings --reverse
  latchkey-cli ls --locks -o csv &gt; locks.csv
  latchkey-cli ls --all-databases --locks
  latchkey-cli ls --locks -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --sort votes -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --json
  latchkey-cli ls --locks --json | jq -r &apos;.[] | select(.findings | index(&quot;no-expiry&quot;)) | .key&apos;
</source>
        <translation>列出匹配任一 GLOB 的键（同 SCAN：* ? [a-z]；默认全部）：类型、剩余时间、锁的种类、持有次数、等待者数、栅栏编号、问题数、持有者、键；没有或未知的写作 -。在终端上有标题和颜色，种类和持有者按终端的宽度截短。种类由键名和值推测；JSON 说明理由。问题是一眼看来锁有或可能有的毛病：latchkey-cli why KEY 会用文字说明。
在有字段生存时间的服务器上，自身没有过期时间的哈希会显示其第一个字段还剩多久，写作 &quot;字段 4.213 秒&quot;。
在文件或管道中什么也不截断，行中有完整的持有者；环境中的 COLUMNS=100 也让那里的列适合宽度，程序则用 -o csv。
不超过 20000 个键时按名称排序；更多时按服务器给出的顺序，边读边分批列出。

{options}

--json 即 -o json：输出数组 {key, type, pttl_ms, kind: {id, confidence, evidence}|null, holder, count, waiters, fencing, findings: [ID]}，种类不确定时还有 candidates: [{id, confidence}]；没有过期时间时 pttl_ms 为 -1，服务器拒绝给出时为 null，不是 UTF-8 的键另以 key_base64 给出。
有字段会结束的哈希带有 fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}：共有多少字段、询问了多少、是否问全、有多少会结束，以及最先结束的一百个。
给出集群任何一个节点的 URL，就列出所有主节点的键。无法到达的主节点在标准错误上说明。
加 --all-databases 时，每行有 db，即数据库的编号，观察范围也有；--sort 在每个数据库内排序。集群只有一个数据库。

带有多个 --url（彼此独立的服务器）时，同时读取所有服务器，每行有 server，即地址。再加 --locks 时，每把锁为一行，带有各服务器为其持有者所投的票，与 latchkey-cli why 相同：票数、剩余时间、种类、持有者、有其他持有者或没有该键或没有应答的服务器，以及键。持有者是多数的持有者；没有多数时写作 -。
剩余时间是没有票续期时多数结束之前的时间：五台服务器都投给该持有者时，由第三个过期时间决定。valid_ms 是持有者还能依靠这把锁的时间：最早的过期时间减去时钟漂移。
对各服务器意见不一致的锁，会在所有服务器上同时再读一次，因此扫描期间的变化不算不一致。无法读取的服务器在标准错误上给出，在 JSON 中带有 server，并算作未知。
JSON：还有 votes: {votes, servers, quorum, majority, valid_ms} 和 servers: [{server, vote: &quot;holds&quot;|&quot;other-holder&quot;|&quot;no-key&quot;|&quot;unknown&quot;, pttl_ms, holder, why}]。未达多数时 pttl_ms 和 holder 为 null。findings 是所有服务器的。CSV 有 votes、servers、quorum、majority、valid_ms、other_holder、no_key 和 unknown 列，最后三列为地址。

退出码：0，没有键时也是；2 用法错误；3 出错，或未能全部读取。标准错误会说明缺少什么，用 json 和 jsonl 时为一个对象：{complete, looked_at, of, denied: [{question, some_keys, why}], unread, blind_ms, unreported_ms, lag_ms, missing: [句子]}，失败后还有 error，集群还有 cluster: {nodes: [{node, looked_at, why}], slots_moved, unserved_slots, why}。

示例：
  latchkey-cli ls &apos;lock:*&apos; &apos;job:*:lock&apos;
  latchkey-cli ls --locks --sort findings --reverse
  latchkey-cli ls --locks -o csv &gt; locks.csv
  latchkey-cli ls --all-databases --locks
  latchkey-cli ls --locks -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --sort votes -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --json
  latchkey-cli ls --locks --json | jq -r &apos;.[] | select(.findings | index(&quot;no-expiry&quot;)) | .key&apos;
</translation>
    </message>
    <message>
        <source>--sort: unknown column &quot;%1&quot;; there are key, type, time, kind, count, waiting, fencing, findings, holder and votes</source>
        <translation>--sort：未知的列“%1”；有 key、type、time、kind、count、waiting、fencing、findings、holder 和 votes</translation>
    </message>
    <message>
        <source>SERVER</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1, majority not known</source>
        <translation>%1，多数未知</translation>
    </message>
    <message>
        <source>%1, no majority</source>
        <translation>%1，未达多数</translation>
    </message>
    <message>
        <source>other holder: %1</source>
        <translation>其他持有者：%1</translation>
    </message>
    <message>
        <source>no key: %1</source>
        <translation>没有该键：%1</translation>
    </message>
    <message>
        <source>VOTES</source>
        <translation>票数</translation>
    </message>
    <message>
        <source>OTHER SERVERS</source>
        <translation>其他服务器</translation>
    </message>
    <message>
        <source>Finds races in a recipe. It starts a private server and lets clients use the recipe in every possible order, with crashes and ended leases at every point. For each promise it prints whether the promise holds in all schedules, or the shortest schedule that breaks it. No other server is used. Such a schedule can be saved as a story: a JSON file with every command, reply and fault in order. --play, or any other program, can play it.

{options}

COMMAND after -- is any program that uses Redis. Each client is a process of it, with its own server; its address is in the environment: REDIS_URL, LATCHKEY_URL, REDIS_HOST and REDIS_PORT, and REDIS_SOCKET for a Unix socket. With --servers each client has several servers. The search learns what the program does after each reply, and tries every order of commands. It repeats each result with real processes before it prints it. The program marks that it is inside by ECHO latchkey:inside:NAME, and by ECHO latchkey:outside:NAME before it releases the lock. Promises of a program: mutual-exclusion, lost-update, owner-only-release, no-immortal-key, crash-release; and, if --promise names them, failover-safe, restart-safe, server-clock-safe, partition-safe.

{options from resource}

With --json {recipe, clients, without, server_faults, schedules, complete, seconds, promises: [{id, clients, claimed, verdict, complete, known, mended, complaint, reason, beforehand, counterexample: [{client, command, reply, inside} | {client, does, reply} | {fault, client}], story}], with --form also form: script|delifeq|delex}; of a program also program, clock: controlled|partly-controlled|not-controlled, servers, fixed_port, crashes, expirations, timer_steps, lost_replies, preemptions, random, steps, starts, locks: [{key, is_lock, reason}], failed_ends: [{exit_code, printed}], livelock, late_retries, livelock_alone, livelock_schedule: null|{counterexample, story}, clients_ended, deadlock: null|{counterexample, story}, stopped, unanswered: [id], and no form; with --play {title, outcome: passed|failed, steps, reply}.

Exit codes: 0 no claimed promise is broken, except those of --baseline; 1 one is, or clients of a program that ends alone block each other for ever; 2 wrong usage; 3 it could not be explored, was stopped, a bound was hit, or no promise of a program applies. With --play: 0 passed, 1 failed. With --config: 3 if a program ends with it, else 1 if one does.

Examples:
  latchkey-cli explore timestamp-naive --clients 3 --promise mutual-exclusion
  latchkey-cli explore token --json
  latchkey-cli explore token-check-then-delete --save stories
  latchkey-cli explore --resource order:1 -- python3 worker.py
  latchkey-cli explore --inside &apos;SET lock * NX&apos; --outside &apos;DEL lock -&gt; any&apos; -- python3 worker.py
  latchkey-cli explore --resource order:1 --junit races.xml --sarif races.sarif -- python3 worker.py
  latchkey-cli explore --promise failover-safe -- python3 worker.py
  latchkey-cli explore --html pages -- python3 worker.py
  latchkey-cli explore --baseline known.json --write-baseline known.json -- python3 worker.py
  latchkey-cli explore --config explore.json --junit races.xml
  latchkey-cli explore --play stories/token-check-then-delete.owner-only-release.json
</source>
        <translation>查找竞态：启动一台私有服务器，让客户端以各种可能的顺序使用该方案，让它们在每一处死去、让租约在每一处结束，并对每项保证说明它是否在所有调度中成立，或者打破它的最短调度是什么。不会触及其他服务器。这样的调度可以存为故事：一个 JSON 文件，按顺序含有每条命令、应答和故障，--play 或任何其他程序都可以播放它。

{options}

-- 之后可以是任何使用 Redis 的程序。每个客户端是它的一个进程，各有自己的服务器可以交谈：环境中的 REDIS_URL、LATCHKEY_URL、REDIS_HOST 和 REDIS_PORT，以及给出 Unix 套接字的 REDIS_SOCKET，说明在哪里。加 --servers 时每个客户端有几台服务器。它在每个应答之后做什么会被学到，命令的每一种顺序都会试；找到的东西在讲出之前会用真实的进程再运行一次。它用 ECHO latchkey:inside:NAME 说自己在里面，在放开锁之前用 ECHO latchkey:outside:NAME。它的保证：mutual-exclusion、lost-update、owner-only-release、no-immortal-key、crash-release；若 --promise 指明，还有 failover-safe、restart-safe、server-clock-safe、partition-safe。

{options from resource}

加 --json 时为 {recipe, clients, without, server_faults, schedules, complete, seconds, promises: [{id, clients, claimed, verdict, complete, known, mended, complaint, reason, beforehand, counterexample: [{client, command, reply, inside} | {client, does, reply} | {fault, client}], story}]，加 --form 时还有 form: script|delifeq|delex}；程序还有 program、clock: controlled|partly-controlled|not-controlled、servers、fixed_port、crashes、expirations、timer_steps、lost_replies、preemptions、random、steps、starts、locks: [{key, is_lock, reason}]、failed_ends: [{exit_code, printed}]、livelock、late_retries、livelock_alone、livelock_schedule: null|{counterexample, story}、clients_ended、deadlock: null|{counterexample, story}、stopped、unanswered: [id]，没有 form；与 --play 一起时 {title, outcome: passed|failed, steps, reply}。

退出码：0 除 --baseline 中的之外，没有声称的保证被打破；1 有一项被打破，或者单独运行时会结束的程序，其客户端永远互相阻塞；2 用法错误；3 无法探索、已被停止、达到了上限，或者程序没有适用的保证。与 --play 一起时：0 一切如故事所讲，1 进展不同。加 --config 时：若有程序以 3 结束则为 3，否则若有程序以 1 结束则为 1。

示例：
  latchkey-cli explore timestamp-naive --clients 3 --promise mutual-exclusion
  latchkey-cli explore token --json
  latchkey-cli explore token-check-then-delete --save stories
  latchkey-cli explore --resource order:1 -- python3 worker.py
  latchkey-cli explore --inside &apos;SET lock * NX&apos; --outside &apos;DEL lock -&gt; any&apos; -- python3 worker.py
  latchkey-cli explore --resource order:1 --junit races.xml --sarif races.sarif -- python3 worker.py
  latchkey-cli explore --promise failover-safe -- python3 worker.py
  latchkey-cli explore --html pages -- python3 worker.py
  latchkey-cli explore --baseline known.json --write-baseline known.json -- python3 worker.py
  latchkey-cli explore --config explore.json --junit races.xml
  latchkey-cli explore --play stories/token-check-then-delete.owner-only-release.json
</translation>
    </message>
    <message>
        <source>%1, at most %2</source>
        <comment>limits of a search</comment>
        <translation>%1，最多 %2</translation>
    </message>
    <message>
        <source>replay: there are more locks than can be followed; alerts may be missing</source>
        <translation>replay：锁的数量超过所能跟踪的；警报可能有遗漏</translation>
    </message>
    <message>
        <source>Replays a recording of watch --record or of the window, and prints a line for each event of the locks with keys that match a GLOB (default: all), as watch does. No server is needed: the observations are read from the file, and the events are computed again.

{options}

The times are those of the recording. With --json a JSON object per line, see latchkey-cli watch --help. In a recording without values, a holder is a digest; equal holders have equal digests.
The events blind and sees have no key and show when nothing was seen; failed-over and restarted have none either. If the answer is incomplete, standard error reports what is missing, as with watch.
With --alert, the rules are those of latchkey-cli watch --alert. They are evaluated at the recorded times, so the same alerts are printed. No command is run: only watch has --exec.
A recording of an older version has no coverage; standard error reports that.
A cut-off recording is replayed up to its last complete line.
Exit code: 0 everything was replayed and seen; 2 wrong usage, or no recording; 3 the file cannot be read, is cut off, or does not show everything.

Examples:
  latchkey-cli replay bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording &apos;lock:*&apos; --json
  latchkey-cli replay --speed 10 bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording --alert &apos;older-than=20m job:*&apos;
</source>
        <translation>重放 watch --record 或窗口所录制的内容，键匹配任一 GLOB（默认全部）的锁上发生的每件事打印一行，与 watch 相同。不需要服务器，也不会询问服务器：观察到的内容从文件读取，由此得出的结论重新计算。

{options}

所列的时间是录制时的时间。加 --json 时每行一个 JSON 对象，见 latchkey-cli watch --help。省略了值时，持有者是一个摘要：同一持有者的摘要相同。
没有键的行 blind 和 sees 说明何时什么也没看到；failed-over 和 restarted 也没有键。如果答案不完整，标准错误会像 watch 一样说明缺少什么。
加 --alert 时，规则与 latchkey-cli watch --alert 的相同。规则按录制时的时间检查，因此打印同样的警报。不运行任何命令：只有 watch 有 --exec。
旧版本的录制不含覆盖范围，标准错误会说明。
中断了的录制，完整的部分有多少就重放多少。
退出码：0 全部已重放，且都看到了；2 用法错误，或不是录制文件；3 无法读取、已中断，或没有显示全部。

示例：
  latchkey-cli replay bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording &apos;lock:*&apos; --json
  latchkey-cli replay --speed 10 bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording --alert &apos;older-than=20m job:*&apos;
</translation>
    </message>
    <message>
        <source>print a line when a lock meets RULE, and when that is over, as in watch; can be repeated. Events of locks are then printed only with --event</source>
        <translation>与 watch 相同，锁符合 RULE 时打印一行，结束时也打印一行；可以重复。此时只有加 --event 才打印锁的事件</translation>
    </message>
    <message>
        <source>--restart-delay: not for a program</source>
        <translation>--restart-delay：不用于程序</translation>
    </message>
    <message>
        <source>instead of a URL: the host, default 127.0.0.1; -h HOST is the same</source>
        <translation>代替 URL：主机，默认 127.0.0.1；-h HOST 与此相同</translation>
    </message>
    <message>
        <source>Watches the locks with keys that match a GLOB (as in SCAN: * ? [a-z]; default: all) and prints a line for each event, until it is stopped (Ctrl+C). Locks that exist at the start are printed first, as `seen`. A lock is recognised by the name and the value of its key. Nothing is written to the server, and no setting is changed.

{options}

Events: seen; acquired; extended; handed-over (value of another holder, without an end in between); changed; released (ended before its expiry: the server does not report whether its holder released it or another client deleted it); deleted (by this program); expired; evicted; flushed; lost (at a failover: the new primary does not know the lock, and its lease had not ended); ended (the observations fit more than one of these, or another holder was seen and not how the former hold ended).

With --json a JSON object per line: {at_ms, key, event, holder, source, late_ms, uncertain_ms}. at_ms is the time of the observation, in Unix milliseconds; the event may have happened up to uncertain_ms earlier. late_ms of an expired lock is the delay of its end after the deadline, plus or minus uncertain_ms. source is event (reported by the server), poll (seen by a read) or inferred. holder is null if the value does not name the holder.
Four events have no key: blind (nothing is seen since since_ms, with the reason), sees (the server answers again, after blind_ms), restarted (another process answers at the address: the server was restarted or replaced), and failed-over (the sentinels of the URL name another primary, to, instead of from). After a failover, a lock that was released while nothing was seen is shown as lost too.
With the URL of a cluster node, all primaries are watched. A lock that moves with its slot is neither released nor acquired. A replica that takes over gives the line failed-over, and blind, sees and restarted have the address of their primary, node. An alert continues when its lock moves, and blind is raised for each primary. With --record, the node of the URL is watched. In the metrics, latchkey_up, latchkey_source and what the watch costs have the label node, and all others are of the cluster.
With several --url, which name independent servers, all are watched at once, and each line has its server, in JSON as server. Another three events tell how the servers vote for the holder of a lock, as in latchkey-cli why:
  majority     a majority of the servers names this holder; after uncertain, it still does
  no-majority  no majority names this holder any more, nor another one
  uncertain    whether a majority names this holder depends on servers that are not seen
They are printed when the result changes, not for each vote, with the votes in place of the server, and with the time for which the holder may rely on the lock. JSON: {at_ms, key, event, holder, votes, servers}, the last two as in ls --locks, and since_ms for each server: since when it is not seen. A lock with a value that does not name its holder has none of these events.
A server that is not seen has no vote, and delays no other. The exit code is then 3, also for a server that was never reached. --alert, --exec, --metrics, --record and --acl need a single --url.

If the answer is incomplete at the end, standard error reports what is missing, with --json as an object: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}, and server with several --url. missing contains these sentences; unreported_ms is the time in which the server did not report changes, although it had before and answered requests: its subscriber was killed, or notifications were switched off. Polls find most changes then, but a lock that came and went is missing.

Alerts: a RULE is a condition and, if it is not for all keys, a pattern of keys, such as &apos;older-than=20m job:*&apos;. The conditions are:
  no-expiry        the lock has no expiry, and did not get one within a second
  older-than=TIME  the present hold lasts longer, renewed or not; a lock that exists at the start counts from then on
  two-holders      more clients hold the lock than it admits, or another client has taken it over from its holder
  finding=ID       the lock has this finding of ls and why, such as finding=holder-gone
  blind[=TIME]     nothing has been seen for TIME; without a pattern of keys
A line `alert` is printed once per lock and rule, and a line `over` at the end of the condition or of the hold. Nothing is raised or over while nothing is seen; the lines blind and sees show that. With --json: {at_ms, event, rule, key, holder, reason}, and held_ms for an alert, raised_ms and end for over; node for blind in a cluster. end is the event that ended the hold, or null.
COMMAND finds the data in LATCHKEY_ALERT_EVENT (alert or over), _RULE, _KEY, _HOLDER, _REASON, _AT_MS, _SERVER and, for a primary that is not seen, _NODE, and the JSON line in its standard input. The data are never a part of the command line. Its output goes to standard error. At most 4 run at once, and 100 may wait. Its processes end with watch; at the end by --for or --once watch waits for them.

In the metrics, latchkey_findings counts the locks with each finding; id and severity are those of ls and why.
Exit code: 0 stopped, or with --once an event; 1 with --once no event; 2 wrong usage; 3 error, something was not seen, or COMMAND failed.

Examples:
  latchkey-cli watch &apos;lock:*&apos;
  latchkey-cli watch --json --for 10m
  latchkey-cli watch lock:orders --event released --event expired --once --for 1m &amp;&amp; echo free
  latchkey-cli watch --metrics 9121
  latchkey-cli watch &apos;lock:*&apos; -u redis://a -u redis://b -u redis://c
  latchkey-cli watch lock:orders --event no-majority --once -u redis://a -u redis://b -u redis://c &amp;&amp; echo free
  latchkey-cli watch --alert no-expiry --alert &apos;older-than=20m job:*&apos; --exec &apos;notify-send &quot;$LATCHKEY_ALERT_KEY&quot; &quot;$LATCHKEY_ALERT_REASON&quot;&apos;
  latchkey-cli watch &apos;lock:*&apos; --record bug.latchkey-recording --without-values --for 5m
  redis-cli ACL SETUSER … # what latchkey-cli watch --acl has printed, with a password and the keys
</source>
        <translation>观察键匹配任一 GLOB 的锁（同 SCAN：* ? [a-z]；默认全部），发生的每件事打印一行，直到被停止（Ctrl+C）。开始时已在的锁先列出，标为 `seen`。什么是锁，由键名和值推测。不会向服务器写入任何内容，也不改变任何设置。

{options}

事件：seen；acquired；extended；handed-over（换成别人的值，中间没有结束）；changed；released（提前消失：服务器不说明是持有者释放还是被别的客户端删除）；deleted（由本程序）；expired；evicted；flushed；lost（故障转移时：新的主节点不知道这把锁，而它的租约尚未结束）；ended（已消失，而所看到的符合其中不止一种；或看到了另一个持有者，而没有看到上一次持有怎样结束）。

加 --json 时每行一个 JSON 对象：{at_ms, key, event, holder, source, late_ms, uncertain_ms}。at_ms 是看到它的时刻，以 Unix 毫秒计；它可能早至 uncertain_ms 之前就已发生。late_ms 针对已过期的锁：在其截止时间之后多久看到它消失，误差 uncertain_ms。source 为 event（服务器告知）、poll（查看得知）或 inferred（推断）。值没有说明锁是谁的时，holder 为 null。
关于观察本身的事件没有键：blind（自 since_ms 起什么也没看到，原因为 reason）、sees（经过 blind_ms 后服务器重新应答）、restarted（该地址由另一个进程应答：服务器已重启或被替换）和 failed-over（URL 的哨兵给出另一台主节点 to，取代 from）。故障转移之后，在什么也看不到期间释放的锁也显示为 lost。使用集群任一节点的 URL 时，会监视所有主节点。槽在迁移的锁既不算释放，也不算获取。副本接管时打印行 failed-over；blind、sees 和 restarted 带有其主节点的地址 node。锁迁移时其警报继续；blind 针对每个主节点。使用 --record 时，只监视 URL 所指的节点。在指标中，latchkey_up、latchkey_source 和监视的开销带有标签 node，其余都针对整个集群。

带有多个 --url（独立的服务器）时，同时监视所有服务器，每一行都带有其服务器，在 JSON 中为 server。另有三种事件说明各服务器怎样为锁的持有者投票，与 latchkey-cli why 相同：
  majority     服务器的多数记有这个持有者；在 uncertain 之后，仍然如此
  no-majority  不再有多数记有这个持有者，也没有多数记有另一个持有者
  uncertain    多数是否记有这个持有者，取决于看不到的服务器
它们在结果改变时打印，而不是每一票都打印；在服务器的位置是票数，还有持有者还能依靠这把锁多久。JSON：{at_ms, key, event, holder, votes, servers}，后两项与 ls --locks 相同，每台服务器另有 since_ms：从何时起看不到它。值没有记下持有者的锁没有这些事件。
看不到的服务器没有票，也不会拖慢其他服务器。这时退出码为 3，从未连上的服务器也一样。--alert、--exec、--metrics、--record 和 --acl 需要单个 --url。

结束时若答案不完整，标准错误会说明缺少什么，用 --json 时为一个对象：{complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}，带有多个 --url 时还有 server。missing 含有这些句子；unreported_ms 是服务器不再报告变化的时间，尽管之前报告过，并且仍应答请求：它的订阅连接被终止，或键空间通知被关闭。这时轮询能发现大多数变化，但短暂出现过的锁会缺失。

警报：RULE 是一个条件；若不针对所有键，再加键的模式，例如 &apos;older-than=20m job:*&apos;。条件有：
  no-expiry        锁没有过期时间，一秒之内也没有设置
  older-than=TIME  本次持有超过这段时间，无论是否续期；开始时已在的锁从那时起计算
  two-holders      持有锁的客户端多于它所允许的，或另一个客户端从持有者手中夺走了它
  finding=ID       锁有 ls 和 why 的这个问题，例如 finding=holder-gone
  blind[=TIME]     已有 TIME 什么也没有看到；不带键的模式
每把锁每条规则打印一行 `alert`，条件或持有结束时打印一行 `over`。什么也看不到的期间，警报既不开始也不结束；blind 和 sees 两行说明这一点。加 --json 时：{at_ms, event, rule, key, holder, reason}，alert 另有 held_ms，over 另有 raised_ms 和 end；集群中 blind 另有 node。end 是结束持有的事件，或 null。
COMMAND 从 LATCHKEY_ALERT_EVENT（alert 或 over）、_RULE、_KEY、_HOLDER、_REASON、_AT_MS、_SERVER 以及（看不到某个主节点时）_NODE 得到数据，从标准输入得到那一行 JSON。数据绝不成为命令行的一部分。它的输出写到标准错误。最多同时运行 4 条，最多 100 条等待。其进程随 watch 结束；因 --for 或 --once 结束时 watch 会等待它们。

指标中 latchkey_findings 按存在的问题统计锁：id 和 severity 与 ls 和 why 中的相同。
退出码：0 被停止，或加 --once 时有事件；1 加 --once 时没有事件；2 用法错误；3 出错、有些没有看到，或 COMMAND 失败。

示例：
  latchkey-cli watch &apos;lock:*&apos;
  latchkey-cli watch --json --for 10m
  latchkey-cli watch lock:orders --event released --event expired --once --for 1m &amp;&amp; echo free
  latchkey-cli watch --metrics 9121
  latchkey-cli watch &apos;lock:*&apos; -u redis://a -u redis://b -u redis://c
  latchkey-cli watch lock:orders --event no-majority --once -u redis://a -u redis://b -u redis://c &amp;&amp; echo free
  latchkey-cli watch --alert no-expiry --alert &apos;older-than=20m job:*&apos; --exec &apos;notify-send &quot;$LATCHKEY_ALERT_KEY&quot; &quot;$LATCHKEY_ALERT_REASON&quot;&apos;
  latchkey-cli watch &apos;lock:*&apos; --record bug.latchkey-recording --without-values --for 5m
  redis-cli ACL SETUSER … # latchkey-cli watch --acl 打印的内容，加上密码和键
</translation>
    </message>
    <message>
        <source>--event %1: of the votes of several servers, so with several --url</source>
        <translation>--event %1：属于多台服务器的投票，只能用于多个 --url</translation>
    </message>
    <message>
        <source>--%1: it needs a single --url</source>
        <translation>--%1：只能用于一个 --url</translation>
    </message>
    <message>
        <source>valid for %1 at most</source>
        <translation>最多还有效 %1</translation>
    </message>
    <message>
        <source>no longer valid</source>
        <translation>已不再有效</translation>
    </message>
    <message>
        <source>silent since %1: %2</source>
        <translation>自 %1 起没有应答：%2</translation>
    </message>
    <message>
        <source>--%1: only with --promise %2</source>
        <translation>--%1：只能与 --promise %2 一起使用</translation>
    </message>
    <message>
        <source> or </source>
        <comment>promises</comment>
        <translation> 或 </translation>
    </message>
    <message>
        <source>a server saved in the window (Ctrl+K) by its name; the name of a redlock group stands for the --url of each of its servers</source>
        <translation>窗口中（Ctrl+K）保存的服务器的名称；Redlock 组的名称代表其中每台服务器的 --url</translation>
    </message>
    <message>
        <source>Acquires the lock KEY by RECIPE (see: latchkey-cli recipes), and prints the token that releases it.

{options}

For redlock, give --url once for each server.

With --json {outcome: &quot;acquired&quot;|&quot;busy&quot;|&quot;unconfirmed&quot;|&quot;unknown&quot;, token, fencing, lease_ms, valid_for_ms}. The outcome is unconfirmed if no replica has confirmed the lock, and it was released. If the reply was lost, the outcome is unknown: token and lease_ms are those of the lock that may be held, and standard error reports them too. If standard output cannot be written, the token of an acquired lock is written to standard error; if that fails too, a lock with a new random token is released.
Exit code: 0 acquired, 1 busy or unconfirmed, 2 wrong usage, 3 error or unknown outcome, also if a redlock is busy on some servers and others, which refuse or do not answer, could have completed the majority.

Examples:
  token=$(latchkey-cli acquire token lock:orders --lease 10s --wait 2s)
  latchkey-cli acquire auto-release lock:report --lease 5s --unit s
</source>
        <translation>尝试按 RECIPE（参见：latchkey-cli recipes）赢得锁 KEY。打印可以释放它的令牌。

{options}

redlock 的每台服务器各给一次 --url。

加 --json 时输出 {outcome: &quot;acquired&quot;|&quot;busy&quot;|&quot;unconfirmed&quot;|&quot;unknown&quot;, token, fencing, lease_ms, valid_for_ms}。没有副本确认该锁、因而已释放它时，结果为 unconfirmed。应答丢失时结果未知：token 和 lease_ms 属于可能已持有的那把锁，标准错误上也会说明。标准输出无法写入时，已获取的锁的令牌同样写到标准错误；标准错误也无法写入时，锁会被释放。
退出码：0 已获取，1 忙或未确认，2 用法错误，3 出错或结果未知；redlock 在部分服务器上忙、而拒绝或不应答的其他服务器本可凑成多数时，也是 3。

示例：
  token=$(latchkey-cli acquire token lock:orders --lease 10s --wait 2s)
  latchkey-cli acquire auto-release lock:report --lease 5s --unit s
</translation>
    </message>
    <message>
        <source>the sentinels disagree: the primary in use is %1; compare what they monitor under this name</source>
        <translation>各哨兵意见不一：使用的主节点是 %1；请比较它们以此名称监视的服务器</translation>
    </message>
    <message>
        <source>%1, reached at %2</source>
        <translation>%1，在 %2 到达</translation>
    </message>
    <message>
        <source>%1 names %2</source>
        <translation>%1 给出 %2</translation>
    </message>
    <message>
        <source>%1, not used: %2</source>
        <translation>%1，未使用：%2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is a redlock group of %2 servers, and this command uses a single server: give one --url only, such as %3; ls, why, watch and the lock commands with redlock use the whole group</source>
        <translation>“%1”是有 %2 台服务器的 Redlock 组，而此命令只用一台服务器：只能有一个 --url，例如 %3；ls、why、watch 和使用 redlock 的锁命令使用整个组</translation>
    </message>
    <message>
        <source>holder not recorded</source>
        <translation>未记下持有者</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>holder and servers</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>whether %1 is another server than the others of the group could not be told, because INFO is refused: %2; allow INFO, or PUBSUB NUMSUB and all channels</source>
        <translation>INFO 被拒绝，因此无法判断 %1 与组中其他服务器是否不同：%2；请允许 INFO，或者允许 PUBSUB NUMSUB 和所有频道</translation>
    </message>
    <message>
        <source>%1 and %2 are the same server</source>
        <translation>%1 和 %2 是同一台服务器</translation>
    </message>
    <message>
        <source>sentinel</source>
        <translation>哨兵</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Connects, logs in, and asks once each what ls and watch ask: SCAN, PTTL, TYPE and a value of each type. Prints one line with the server, its version, the number of its keys and the round trip, and one for each replica with its state, the bytes that it has not confirmed, and the time since its last confirmation. A replica is named with its primary and the state of the link, and a node of a cluster with the state of the cluster: the number of keys is then that of this node. Nothing is written. The key latchkey:status is asked about; it need not exist. So a user with rights to some keys only is restricted.

{options}

With --json {outcome: &quot;ok&quot;|&quot;restricted&quot;, server, product, version, mode, keys, round_trip_us, denied:
[{question, some_keys, why}], primary, replicas: [{address, state, behind_bytes, silent_s}], replica_of: {address, link: &quot;up&quot;|&quot;down&quot;}, cluster: {state, primaries}, min_replicas_to_write}. product, version, mode, keys, replicas and min_replicas_to_write are null if the server does not say them; so are replica_of for a primary, and cluster for a server that is no node of one. primary is the address that the sentinels of the URL name, or null. With --full also
full: {user, sees: {keys, expiry, types, values, changes, clients, cost}, changes_by: &quot;notifications&quot;|&quot;tracking&quot;|&quot;polling&quot;, notify_keyspace_events, look_commands, look_server_us, missing: [{subject, command, why, permit}], permit, nodes: [{named_by, announced, reached_at, why}]}. nodes are those of the cluster, or the primary by each sentinel (named_by): the announced address, the one after the map of the URL, and why it is not used, or null; nodes is null if the cluster does not say them. permit is the ACL SETUSER line for what is missing, or null.
Exit code: 0 the server answers and refuses nothing; 1 the server answers, but refuses a question, usually because the user has not the rights (with --full any command), or with --full a node of the cluster or a sentinel cannot be reached, or the sentinels disagree; standard error names each refused question; 2 wrong usage; 3 no connection, no login, no answer, or a cluster that is down.

Examples:
  latchkey-cli status
  latchkey-cli status --full
  latchkey-cli status --json -u rediss://db.example | jq .round_trip_us
</source>
        <translation>连接、登录，并把 ls 和 watch 所询问的各问一次：SCAN、PTTL、TYPE 和每种类型的一个值。打印一行：服务器、其版本、键的数量和往返时间；每个副本再打印一行：状态、尚未确认的字节数、距上次确认的时间。副本会给出其主节点和连接状态，集群节点会给出集群状态：这时键的数量只是本节点的。不写入任何内容。询问的键是 latchkey:status，它不必存在；所以只对部分键有权限的用户是受限的。

{options}

加 --json 时为 {outcome: &quot;ok&quot;|&quot;restricted&quot;, server, product, version, mode, keys, round_trip_us, denied: [{question, some_keys, why}], primary, replicas: [{address, state, behind_bytes, silent_s}], replica_of: {address, link: &quot;up&quot;|&quot;down&quot;}, cluster: {state, primaries}, min_replicas_to_write}。服务器没有说明时，product、version、mode、keys、replicas 和 min_replicas_to_write 为 null；主节点的 replica_of 为 null，不是集群节点时 cluster 为 null。primary 是 URL 的哨兵给出的地址，或 null。加 --full 时还有 full: {user, sees: {keys, expiry, types, values, changes, clients, cost}, changes_by: &quot;notifications&quot;|&quot;tracking&quot;|&quot;polling&quot;, notify_keyspace_events, look_commands, look_server_us, missing: [{subject, command, why, permit}], permit, nodes: [{named_by, announced, reached_at, why}]}。nodes 是集群的节点，或每个哨兵（named_by）给出的主节点：公布的地址、按 URL 的 map 映射之后的地址，以及为何未使用，或 null；集群没有给出节点时 nodes 为 null。permit 是允许所缺内容的 ACL SETUSER 行，或 null。
退出码：0 服务器应答，什么也没有拒绝；1 服务器应答，但拒绝了某个询问，通常因为用户没有权限（加 --full 时为任何命令），或者加 --full 时集群的某个节点或某个哨兵无法到达，或各哨兵意见不一；标准错误列出每个被拒绝的询问；2 用法错误；3 没有连接、没有登录、没有应答，或集群不可用。

示例：
  latchkey-cli status
  latchkey-cli status --full
  latchkey-cli status --json -u rediss://db.example | jq .round_trip_us
</translation>
    </message>
    <message>
        <source>also ask every other command that looking sends, and print what this user sees, what looking costs, what is missing and the ACL rules that permit it, and connect to each node of the cluster and each sentinel; nothing is written</source>
        <translation>还询问观察所用的其他每个命令，打印此用户看到什么、观察的开销、缺少什么以及允许它的 ACL 规则，并连接集群的每个节点和每个哨兵；不写入任何内容</translation>
    </message>
    <message>
        <source>watch: whether %1 is another server than the others could not be told, because INFO is refused; its vote may be counted twice; allow INFO</source>
        <translation>watch：INFO 被拒绝，无法判断 %1 与其他服务器是否不同；它的票可能被计算两次；请允许 INFO</translation>
    </message>
</context>
<context>
    <name>ConnectionTexts</name>
    <message>
        <source>no answer since %1</source>
        <translation>已 %1 没有应答</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>无连接</translation>
    </message>
    <message>
        <source>The next attempt is in %1.</source>
        <translation>%1 后再次尝试。</translation>
    </message>
    <message>
        <source>The connection is open, but the server does not answer.</source>
        <translation>连接是通的，但服务器没有应答。</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>node %1 of %2</source>
        <translation>节点 %1/%2</translation>
    </message>
    <message>
        <source>This server is one node of a cluster: the keys of the other nodes are not shown.</source>
        <translation>此服务器是集群的一个节点：其他节点的键不会显示。</translation>
    </message>
    <message>
        <source>private server</source>
        <translation>私有服务器</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>password needed</source>
        <translation>需要密码</translation>
    </message>
    <message>
        <source>Trying again…</source>
        <translation>正在重试…</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>no room</source>
        <translation>连接已满</translation>
    </message>
    <message>
        <source>not Redis</source>
        <translation>不是 Redis</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>过大</translation>
    </message>
    <message>
        <source>no permission</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>No automatic retry.</source>
        <translation>不会自动重试。</translation>
    </message>
    <message>
        <source>No requests until you resume.</source>
        <translation>在您继续之前不会询问任何东西。</translation>
    </message>
    <message>
        <source>%1 %, %2 commands/s</source>
        <translation>%1 %，%2 条命令/秒</translation>
    </message>
    <message>
        <source>%1 % of the server&apos;s core, %2 commands/s</source>
        <translation>服务器核心的 %1 %，%2 条命令/秒</translation>
    </message>
    <message>
        <source>%1 commands/s</source>
        <translation>%1 条命令/秒</translation>
    </message>
    <message>
        <source>%1 commands/s while reading all</source>
        <translation>全部读取期间 %1 条命令/秒</translation>
    </message>
    <message>
        <source>%1 commands/s of at most %2</source>
        <translation>%1 条命令/秒，上限 %2</translation>
    </message>
    <message>
        <source>Share of the server&apos;s core that the commands of this window take, and their number. The share is estimated from the server&apos;s own statistics (INFO commandstats), which are averages over the commands of all clients. Click to set a limit.</source>
        <translation>此窗口的命令所占服务器核心的份额，以及命令数。份额按服务器自己的统计（INFO commandstats）估计，其中是所有客户端命令的平均值。点击可设置上限。</translation>
    </message>
    <message>
        <source>Commands per second that this window causes on the server, and the limit that it keeps. The server does not report what they cost (INFO commandstats).</source>
        <translation>此窗口每秒在服务器上引起的命令数，以及它遵守的上限。服务器不报告这些命令的开销（INFO commandstats）。</translation>
    </message>
    <message>
        <source>At most %1 % of the server&apos;s core</source>
        <translation>最多占服务器核心的 %1 %</translation>
    </message>
    <message>
        <source>At most %1 commands per second</source>
        <translation>每秒最多 %1 条命令</translation>
    </message>
    <message>
        <source>%1 %, %2/s</source>
        <translation>%1 %，%2 条/秒</translation>
    </message>
    <message>
        <source>%1/s</source>
        <comment>commands per second</comment>
        <translation>%1 条/秒</translation>
    </message>
    <message>
        <source>Writes allowed</source>
        <translation>允许写入</translation>
    </message>
    <message>
        <source>Read-only: production</source>
        <translation>只读：生产</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Writes armed: production</source>
        <translation>已启用写入：生产</translation>
    </message>
    <message>
        <source>Writes armed</source>
        <translation>已启用写入</translation>
    </message>
    <message>
        <source>Production armed: %1</source>
        <comment>the time left</comment>
        <translation>已启用生产写入：%1</translation>
    </message>
    <message>
        <source>Writes armed: %1</source>
        <translation>已启用写入：%1</translation>
    </message>
    <message>
        <source>Private server: writes are always allowed</source>
        <translation>私有服务器：始终允许写入</translation>
    </message>
    <message>
        <source>Latchkey writes nothing to this server until you arm it</source>
        <translation>在您启用之前，不会向此服务器写入任何内容</translation>
    </message>
    <message>
        <source>Click to disarm: stops all writes</source>
        <translation>点击以停用：不再写入任何内容</translation>
    </message>
    <message>
        <source>Click to disarm: stops all writes. Writing is disarmed automatically in %1.</source>
        <translation>点击停用：停止一切写入。%1后自动停用写入。</translation>
    </message>
    <message>
        <source>%1, disarmed within a minute</source>
        <translation>%1，一分钟内停用</translation>
    </message>
    <message numerus="yes">
        <source>%1, disarmed within %Ln minutes</source>
        <translation>
            <numerusform>%1，%Ln 分钟内停用</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CurveText</name>
    <message>
        <source>a hold ended: %1</source>
        <translation>一次持有结束：%1</translation>
    </message>
    <message>
        <source>TTL over the last %1</source>
        <translation>最近 %1 的剩余时间</translation>
    </message>
    <message>
        <source>expiry not changed</source>
        <translation>过期时间没有变动</translation>
    </message>
    <message>
        <source>expiry changed once</source>
        <translation>过期时间变动了 1 次</translation>
    </message>
    <message numerus="yes">
        <source>expiry changed %Ln times</source>
        <translation>
            <numerusform>过期时间变动了 %Ln 次</numerusform>
        </translation>
    </message>
    <message>
        <source>no expiry now</source>
        <translation>现在没有过期时间</translation>
    </message>
    <message>
        <source>expires at %1</source>
        <translation>于 %1 结束</translation>
    </message>
</context>
<context>
    <name>DetailText</name>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>读者</translation>
    </message>
    <message>
        <source>Writer</source>
        <translation>写者</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>%1 times</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>Holders</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Waiting, %1</source>
        <translation>等待者，%1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>Free permits</source>
        <translation>空闲许可</translation>
    </message>
    <message>
        <source>Fencing number</source>
        <translation>栅栏编号</translation>
    </message>
    <message>
        <source>Deadline in the value</source>
        <translation>值中的截止时间</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Lifetime</source>
        <translation>生存时间</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>Renewed</source>
        <translation>续期</translation>
    </message>
    <message>
        <source>%1 (inferred)</source>
        <comment>a holder</comment>
        <translation>%1（推断）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>acquired, and when</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2, and held since</source>
        <comment>who, from when</comment>
        <translation>%1：%2，持有至今</translation>
    </message>
    <message>
        <source>%1: %2, held for %3, until %4: %5</source>
        <comment>who, from when, how long, until when, how it ended</comment>
        <translation>%1：%2，持有 %3，到 %4：%5</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1, every %2</source>
        <translation>%1，每 %2</translation>
    </message>
    <message>
        <source>not recorded: all holders write the same value</source>
        <translation>未记录：所有持有者写同样的值</translation>
    </message>
    <message>
        <source>not recorded: the value does not name the holder</source>
        <translation>未记录：值没有说明持有者</translation>
    </message>
    <message>
        <source>unknown: %1</source>
        <translation>未知：%1</translation>
    </message>
    <message>
        <source>Waiting clients</source>
        <translation>正在等待的客户端</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不：没有过期时间</translation>
    </message>
    <message>
        <source>with the last field</source>
        <translation>随最后一个字段结束</translation>
    </message>
    <message>
        <source>once since watching began</source>
        <translation>观察期间一次</translation>
    </message>
    <message numerus="yes">
        <source>%Ln times since watching began</source>
        <translation>
            <numerusform>观察期间 %Ln 次</numerusform>
        </translation>
    </message>
    <message>
        <source>holder unknown</source>
        <translation>持有者未知</translation>
    </message>
    <message>
        <source>the key no longer exists</source>
        <translation>键已不存在</translation>
    </message>
    <message>
        <source>expiry of the fields unknown: %1</source>
        <translation>字段的过期时间未知：%1</translation>
    </message>
    <message>
        <source>%1: %2, and held at least until %3</source>
        <comment>who, from when, until when</comment>
        <translation>%1：%2，至少持有到 %3</translation>
    </message>
    <message>
        <source>unknown: may not be read</source>
        <translation>未知：不可读取</translation>
    </message>
</context>
<context>
    <name>Diagram</name>
    <message numerus="yes">
        <source>%n s later</source>
        <translation>
            <numerusform>%n 秒后</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n min later</source>
        <translation>
            <numerusform>%n 分钟后</numerusform>
        </translation>
    </message>
    <message>
        <source>Sequence diagram</source>
        <translation>时序图</translation>
    </message>
    <message numerus="yes">
        <source>%n inside</source>
        <translation>
            <numerusform>临界区内 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>client believes it holds the lock</source>
        <translation>客户端自认为持有锁</translation>
    </message>
    <message>
        <source>lock on the server</source>
        <translation>服务器上有它的锁</translation>
    </message>
    <message>
        <source>lease over</source>
        <translation>超出租约</translation>
    </message>
    <message>
        <source>two clients inside</source>
        <translation>两个客户端同时在临界区内</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
</context>
<context>
    <name>EndedText</name>
    <message>
        <source>expired or removed</source>
        <translation>已过期或被删除</translation>
    </message>
    <message>
        <source>own command</source>
        <translation>本程序的命令</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <translation>%1 个键</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>被清空</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>被删除</translation>
    </message>
    <message>
        <source>event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>look</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>The server was asked. The key was last known to exist at %1.</source>
        <translation>询问服务器得知。最后一次得知该键存在是在 %1。</translation>
    </message>
    <message>
        <source>A command of this program removed the key.</source>
        <translation>本程序的命令删除了该键。</translation>
    </message>
    <message>
        <source>scan</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>A scan did not find the key, which was last known to exist at %1.</source>
        <translation>扫描没有遇到该键；最后一次得知它存在是在 %1。</translation>
    </message>
    <message>
        <source>Since %1.</source>
        <translation>自 %1 起。</translation>
    </message>
    <message>
        <source>Earlier ones were dropped: the list keeps the last %1 keys.</source>
        <translation>更早的已舍弃：列表保留最近 %1 个键。</translation>
    </message>
    <message>
        <source>Not seen from %1 to %2: %3.</source>
        <translation>%1 至 %2 没有观察：%3。</translation>
    </message>
    <message>
        <source>Not seen since %1: %2.</source>
        <translation>自 %1 起没有观察：%2。</translation>
    </message>
    <message>
        <source>The server reports no changes, so a key that appeared and ended between two looks is missing.</source>
        <translation>服务器不报告变化，因此在两次查看之间出现又结束的键不在其中。</translation>
    </message>
    <message>
        <source>Not all keys are known, so others may have ended.</source>
        <translation>并非所有键都已知，可能还有其他键结束了。</translation>
    </message>
    <message>
        <source>A key that ended before it was read is missing.</source>
        <translation>在读取之前就已结束的键不在其中。</translation>
    </message>
    <message>
        <source>From %1 to %2 the server reported no changes: %3.</source>
        <translation>%1 至 %2 服务器没有报告变更：%3。</translation>
    </message>
    <message>
        <source>Since %1 the server has reported no changes: %2.</source>
        <translation>自 %1 起服务器没有报告变更：%2。</translation>
    </message>
    <message>
        <source>Earlier gaps: %1.</source>
        <translation>更早的空白：%1。</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>two times of day</comment>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>ended, not seen how</source>
        <translation>已结束，未看到原因</translation>
    </message>
    <message>
        <source>The server reported a change of the key, which was then absent.</source>
        <translation>服务器报告了该键的变更，随后该键已不存在。</translation>
    </message>
    <message>
        <source>The server reported a flush, and the database was then empty.</source>
        <translation>服务器报告了清空操作，随后数据库为空。</translation>
    </message>
    <message>
        <source>The key was absent after a time in which the server was not seen. It was last known to exist at %1.</source>
        <translation>在一段看不到服务器的时间之后，该键已不存在。最后一次得知它存在是在 %1。</translation>
    </message>
</context>
<context>
    <name>Findings</name>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>names no holder</source>
        <translation>没有写明持有者</translation>
    </message>
    <message>
        <source>past its deadline</source>
        <translation>截止时间已过</translation>
    </message>
    <message>
        <source>two clocks disagree</source>
        <translation>两个时钟不一致</translation>
    </message>
    <message>
        <source>dead waiters in the queue</source>
        <translation>队列中有已死的等待者</translation>
    </message>
    <message>
        <source>a signal is left over</source>
        <translation>残留一个信号</translation>
    </message>
    <message>
        <source>fencing number went back</source>
        <translation>栅栏编号倒退</translation>
    </message>
    <message>
        <source>fencing numbers expire</source>
        <translation>栅栏编号会过期</translation>
    </message>
    <message>
        <source>no fencing number</source>
        <translation>没有栅栏编号</translation>
    </message>
    <message>
        <source>names a process, not a holder</source>
        <translation>写明的是进程，不是持有者</translation>
    </message>
    <message>
        <source>token can be guessed</source>
        <translation>令牌可以猜到</translation>
    </message>
    <message>
        <source>permits can be lost</source>
        <translation>许可可能丢失</translation>
    </message>
    <message>
        <source>held on several servers</source>
        <translation>在多台服务器上持有</translation>
    </message>
    <message>
        <source>released without a check</source>
        <translation>释放时不检查</translation>
    </message>
    <message>
        <source>expiry set afterwards</source>
        <translation>事后才设过期时间</translation>
    </message>
    <message>
        <source>renewed without a check</source>
        <translation>续期时不检查</translation>
    </message>
    <message>
        <source>losers prolong the lease</source>
        <translation>失败者会延长租约</translation>
    </message>
    <message>
        <source>taken over by GETSET</source>
        <translation>用 GETSET 接管</translation>
    </message>
    <message>
        <source>expired under its holder</source>
        <translation>在持有者手中过期</translation>
    </message>
    <message>
        <source>made anew after its end</source>
        <translation>结束后又被重建</translation>
    </message>
    <message>
        <source>renewed without an end</source>
        <translation>无休止地续期</translation>
    </message>
    <message>
        <source>lease hardly suffices</source>
        <translation>租约勉强够用</translation>
    </message>
    <message>
        <source>its client has left</source>
        <translation>它的客户端已离开</translation>
    </message>
    <message>
        <source>may be evicted</source>
        <translation>可能被淘汰</translation>
    </message>
    <message>
        <source>may be lost by a failover</source>
        <translation>可能因故障转移而丢失</translation>
    </message>
    <message>
        <source>read from a replica</source>
        <translation>读自副本</translation>
    </message>
    <message>
        <source>lost by a restart</source>
        <translation>因重启而丢失</translation>
    </message>
    <message>
        <source>its limit is not stored</source>
        <translation>其上限没有存储</translation>
    </message>
    <message>
        <source>a job without its lock</source>
        <translation>任务没有自己的锁</translation>
    </message>
    <message>
        <source>%1 is known for it</source>
        <translation>%1 有此问题，众所周知</translation>
    </message>
    <message>
        <source>the key does not expire</source>
        <translation>该键不会过期</translation>
    </message>
    <message>
        <source>the deadline in the value was over %1 ago, and the key is still there</source>
        <translation>值中的截止时间已于 %1 前过去，而键仍在</translation>
    </message>
    <message>
        <source>the deadline in the value is %1 later than the end of the key</source>
        <translation>值中的截止时间比键的结束时间晚 %1</translation>
    </message>
    <message>
        <source>the deadline in the value is %1 earlier than the end of the key</source>
        <translation>值中的截止时间比键的结束时间早 %1</translation>
    </message>
    <message>
        <source>the counter is gone, after it had reached %1</source>
        <translation>计数器不见了，它曾达到 %1</translation>
    </message>
    <message>
        <source>it is %1, after it had been %2</source>
        <translation>它曾是 %2，现在是 %1</translation>
    </message>
    <message>
        <source>the counter ends in %1</source>
        <translation>计数器将在 %1 后结束</translation>
    </message>
    <message>
        <source>nothing says who holds them, and they have been held for %1</source>
        <translation>没有说明由谁持有，而它们已被持有 %1</translation>
    </message>
    <message>
        <source>The resource refuses the right holder, or takes the write of one that comes late</source>
        <translation>资源会拒绝正当的持有者，或者接受迟到者的写入</translation>
    </message>
    <message>
        <source>The resource behind the lock cannot refuse a holder that comes late</source>
        <translation>锁背后的资源无法拒绝迟到的持有者</translation>
    </message>
    <message>
        <source>Two holders can come to have the same token</source>
        <translation>两个持有者可能得到相同的令牌</translation>
    </message>
    <message>
        <source>A holder that comes late deletes the next holder&apos;s lock</source>
        <translation>迟到的持有者会删除下一个持有者的锁</translation>
    </message>
    <message>
        <source>A crash in between leaves a lock without an expiry</source>
        <translation>中途崩溃会留下没有过期时间的锁</translation>
    </message>
    <message>
        <source>A holder that comes late prolongs the next holder&apos;s lock</source>
        <translation>迟到的持有者会延长下一个持有者的锁</translation>
    </message>
    <message>
        <source>Two that see the same past deadline can both come to believe that they hold it</source>
        <translation>两个看到同一过期截止时间的客户端，都可能以为自己持有锁</translation>
    </message>
    <message>
        <source>If the first was still at work, two were inside at once: it has not released the lock in time</source>
        <translation>如果第一个还在工作，就有两个同时在临界区内：它没有及时释放锁</translation>
    </message>
    <message>
        <source>Its holder does not learn that it had lost the lock in between</source>
        <translation>它的持有者不会得知中间曾失去过锁</translation>
    </message>
    <message>
        <source>Something renews it although its work may be over; then it is never released</source>
        <translation>有什么在为它续期，尽管工作可能已经做完；那样它永远不会被释放</translation>
    </message>
    <message>
        <source>When memory runs short the server drops the lock, and two are inside</source>
        <translation>内存不足时服务器会丢弃这把锁，于是两个同时在临界区内</translation>
    </message>
    <message>
        <source>A replica that takes over may not have heard of the lock yet, and gives it to another</source>
        <translation>接任的副本可能还不知道这把锁，会把它给别人</translation>
    </message>
    <message>
        <source>What is shown may be late, and a lock that has ended may still be listed</source>
        <translation>所显示的可能滞后，已结束的锁可能仍被列出</translation>
    </message>
    <message>
        <source>After a restart the lock is gone, though its holder may still be inside</source>
        <translation>重启后锁就没有了，而它的持有者可能仍在临界区内</translation>
    </message>
    <message>
        <source>Each client says for itself how many may hold it, so that one with a larger limit lets in too many</source>
        <translation>每个客户端各自说明最多几个持有者，所以上限较大的那个会放进太多</translation>
    </message>
    <message>
        <source>The queue takes its worker for dead and gives it to another, so that it may run twice</source>
        <translation>队列以为它的工作者已死，把它交给另一个，于是可能运行两次</translation>
    </message>
    <message>
        <source>Acquire with SET NX PX; to free this one, make sure that its holder is dead and delete it</source>
        <translation>用 SET NX PX 获取；要放开这一把，先确认其持有者已死，再删除它</translation>
    </message>
    <message>
        <source>Write a random token, and release with a script that compares it</source>
        <translation>写入随机令牌，并用会比较令牌的脚本释放</translation>
    </message>
    <message>
        <source>Set the clocks by NTP; let the server end leases, with SET NX PX</source>
        <translation>用 NTP 校准时钟；让服务器用 SET NX PX 结束租约</translation>
    </message>
    <message>
        <source>Nothing needs to be done</source>
        <translation>什么也不用做</translation>
    </message>
    <message>
        <source>Bring the library up to date</source>
        <translation>升级该库</translation>
    </message>
    <message>
        <source>Keep the counter where nothing expires or is evicted, and raise it above the last number</source>
        <translation>把计数器放在不会过期也不会被淘汰的地方，并把它调到高于最后的编号</translation>
    </message>
    <message>
        <source>Remove the counter&apos;s expiry with PERSIST</source>
        <translation>用 PERSIST 去掉计数器的过期时间</translation>
    </message>
    <message>
        <source>Where a late write does harm, hand out a number with each hold and let the resource check it</source>
        <translation>如果迟到的写入会造成损害，就在每次持有时发一个编号，让资源来检查</translation>
    </message>
    <message>
        <source>Give each holder a value of its own</source>
        <translation>给每个持有者一个自己的值</translation>
    </message>
    <message>
        <source>Draw 16 bytes from the system&apos;s random source</source>
        <translation>从系统的随机源取 16 字节</translation>
    </message>
    <message>
        <source>Use a semaphore that records its holders with an end for each</source>
        <translation>使用会记录持有者及各自结束时间的信号量</translation>
    </message>
    <message>
        <source>Look at the other servers too</source>
        <translation>也看看其他服务器</translation>
    </message>
    <message>
        <source>Release with a script that compares the token and then deletes</source>
        <translation>用先比较令牌再删除的脚本释放</translation>
    </message>
    <message>
        <source>Acquire with one command: SET NX PX</source>
        <translation>用一条命令获取：SET NX PX</translation>
    </message>
    <message>
        <source>Renew with a script that compares the token and then sets the expiry</source>
        <translation>用先比较令牌再设置过期时间的脚本续期</translation>
    </message>
    <message>
        <source>Set the expiry only if the lock was won: SET NX PX does</source>
        <translation>只有赢得锁时才设置过期时间：SET NX PX 正是如此</translation>
    </message>
    <message>
        <source>Let the server end leases, with SET NX PX</source>
        <translation>让服务器用 SET NX PX 结束租约</translation>
    </message>
    <message>
        <source>Renew only what is still there, and treat a lost lock as lost</source>
        <translation>只为仍然存在的锁续期，失去的锁就当作失去</translation>
    </message>
    <message>
        <source>Make sure that it is dead, and release the lock</source>
        <translation>确认它已死，然后释放锁</translation>
    </message>
    <message>
        <source>Keep locks on a server with the policy noeviction</source>
        <translation>把锁放在策略为 noeviction 的服务器上</translation>
    </message>
    <message>
        <source>Set min-replicas-to-write and WAIT after acquiring, or use fencing numbers</source>
        <translation>设置 min-replicas-to-write 并在获取后执行 WAIT，或者使用栅栏编号</translation>
    </message>
    <message>
        <source>Connect to the primary</source>
        <translation>请连接主节点</translation>
    </message>
    <message>
        <source>Switch on the append-only file, or wait out the longest lease after a restart</source>
        <translation>打开 AOF（仅追加文件），或在重启后等满最长的租约</translation>
    </message>
    <message>
        <source>Give all clients one and the same limit</source>
        <translation>给所有客户端同一个上限</translation>
    </message>
    <message>
        <source>Give the jobs&apos; locks more time, and do not block the worker: it has to renew them meanwhile</source>
        <translation>给这些任务的锁更多时间，并且不要阻塞工作者：它期间必须续期</translation>
    </message>
    <message>
        <source>the key was there for %1 without an expiry</source>
        <translation>该键有 %1 没有过期时间</translation>
    </message>
    <message>
        <source>its lease grew again and again, now after %1, now after %2</source>
        <translation>它的租约一再增长，时而在 %1 后，时而在 %2 后</translation>
    </message>
    <message>
        <source>the client %1 replaced its value by GETSET while it was held</source>
        <translation>客户端 %1 在它被持有时用 GETSET 替换了它的值</translation>
    </message>
    <message>
        <source>its value was replaced without an end in between; seen so often: %1</source>
        <translation>它的值被替换，中间没有结束；这样的情况见过 %1 次</translation>
    </message>
    <message>
        <source>its lease of %1 ended without a release, and the next holder came soon after; seen so often: %2</source>
        <translation>它 %1 的租约结束时没有释放，下一个持有者随即到来；这样的情况见过 %2 次</translation>
    </message>
    <message>
        <source>it has been renewed for %1, and was never held longer than %2 before</source>
        <translation>它已续期 %1，而以前从未持有超过 %2</translation>
    </message>
    <message>
        <source>one hold in ten took %1 or more of a lease of %2; holds seen: %3</source>
        <translation>十次持有中有一次用了 %1 或更多，而租约是 %2；见过的持有：%3 次</translation>
    </message>
    <message>
        <source>the client %1 was connected and is not any more; that it is the holder is an inference</source>
        <translation>客户端 %1 曾经连接，现在不在了；它就是持有者，这一点是推断</translation>
    </message>
    <message>
        <source>the policy is %1, and memory is limited; keys evicted so far: %2</source>
        <translation>策略是 %1，而且内存有限；迄今被淘汰的键：%2</translation>
    </message>
    <message>
        <source>replicas that are connected: %1, and none has to confirm a write</source>
        <translation>已连接的副本：%1，而没有一个需要确认写入</translation>
    </message>
    <message>
        <source>this server is a replica</source>
        <translation>此服务器是副本</translation>
    </message>
    <message>
        <source>the server keeps neither an append-only file nor snapshots</source>
        <translation>服务器既没有 AOF，也没有快照</translation>
    </message>
    <message>
        <source>hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>several holders</source>
        <translation>多个持有者</translation>
    </message>
    <message>
        <source>Several clients are inside at once</source>
        <translation>多个客户端同时处于临界区内</translation>
    </message>
    <message>
        <source>Find the client that writes into the lock without the library&apos;s script</source>
        <translation>找出不用该库的脚本而写入这把锁的客户端</translation>
    </message>
    <message>
        <source>holders of a lock that admits one: %1</source>
        <translation>只允许一个持有者的锁，其持有者数：%1</translation>
    </message>
    <message>
        <source>the value is &quot;%1&quot;, which every holder writes</source>
        <translation>值是“%1”，每个持有者写的都一样</translation>
    </message>
    <message>
        <source>the list &quot;%1&quot; is there while the lock is held</source>
        <translation>锁被持有时列表“%1”仍在</translation>
    </message>
    <message>
        <source>it had expired, and came back with the same value, &quot;%1&quot;</source>
        <translation>它过期后又以同样的值“%1”回来了</translation>
    </message>
    <message>
        <source>jobs of its queue that are at work without a lock: %1, the first is &quot;%2&quot;</source>
        <translation>其队列中没有锁却在工作的任务：%1，第一个是“%2”</translation>
    </message>
    <message>
        <source>the key does not expire, and has been there for at least %1</source>
        <translation>该键不会过期，已存在至少 %1</translation>
    </message>
    <message>
        <source>expired waiters in the queue: %1</source>
        <translation>队列中已过期的等待者：%1</translation>
    </message>
    <message>
        <source>If its holder dies, no client can acquire the lock again</source>
        <translation>如果持有者死了，再没有客户端能得到这把锁</translation>
    </message>
    <message>
        <source>The holder is not recorded, so any client can release the lock</source>
        <translation>没有记录持有者，所以任何客户端都能释放锁</translation>
    </message>
    <message>
        <source>The next client takes the lock over; its holder may be dead or late</source>
        <translation>下一个客户端会接管锁；它的持有者可能死了，也可能迟到了</translation>
    </message>
    <message>
        <source>A clock is wrong, so a client acquires the lock too early or too late</source>
        <translation>有一个时钟不准，所以会有客户端过早或过晚地取得锁</translation>
    </message>
    <message>
        <source>The waiters are gone; the next client that acquires the lock has to remove them first</source>
        <translation>等待者已离开；下一个获取锁的客户端得先把它们清掉</translation>
    </message>
    <message>
        <source>A waiter wakes up without a lock; older versions of the library leave such lists behind</source>
        <translation>某个等待者醒来却得不到锁；该库的旧版本会留下这样的列表</translation>
    </message>
    <message>
        <source>After the counter expires, the numbers restart and prove nothing</source>
        <translation>它结束之后，编号重新开始，什么也证明不了</translation>
    </message>
    <message>
        <source>Two threads of one process have the same identity and can release each other&apos;s lock</source>
        <translation>同一进程的两个线程身份相同，可能释放对方的锁</translation>
    </message>
    <message>
        <source>The permits of a dead holder are never returned, so fewer and fewer are available</source>
        <translation>已死的持有者占用的许可永远不会归还，可用的越来越少</translation>
    </message>
    <message>
        <source>The lock needs a majority of servers; one server alone does not decide</source>
        <translation>锁需要多数服务器；单独一台不能决定</translation>
    </message>
    <message>
        <source>While clients keep trying, the lock of a dead holder does not end</source>
        <translation>只要还有客户端在尝试，已死持有者的锁就不会结束</translation>
    </message>
    <message>
        <source>If the work slows down, the lease ends before the work</source>
        <translation>哪天慢一点，租约就会先于工作结束</translation>
    </message>
    <message>
        <source>If the holder has died, the lock ends only with its lease, if it has one; but the holder may have reconnected under another name or address</source>
        <translation>如果持有者已死，锁只随租约（如果有）而结束；不过，持有者也可能换了名称或地址重新连接</translation>
    </message>
    <message>
        <source>Check if its holder is alive; let the server end leases, with SET NX PX</source>
        <translation>看看持有者是否还活着；让服务器用 SET NX PX 结束租约</translation>
    </message>
    <message>
        <source>Use a longer lease, or renew it during the work; use fencing numbers</source>
        <translation>给更长的租约，或在工作进行时续期；使用栅栏编号</translation>
    </message>
    <message>
        <source>Check if the holder still works; if not, end its process, and the lease ends too</source>
        <translation>看看持有者是否还在工作；结束它的进程，租约也会结束</translation>
    </message>
    <message>
        <source>Use a longer lease, or renew it during the work</source>
        <translation>给更长的租约，或在工作进行时续期</translation>
    </message>
    <message>
        <source>the client %1 checked the holder and deleted the lock with a second command</source>
        <translation>客户端 %1 检查了持有者，再用第二条命令删除了锁</translation>
    </message>
    <message>
        <source>the client %1 deleted the lock without checking the holder</source>
        <translation>客户端 %1 没有检查持有者就删除了锁</translation>
    </message>
    <message>
        <source>the client %1 checked the holder and renewed the lock with a second command</source>
        <translation>客户端 %1 检查了持有者，再用第二条命令为锁续期</translation>
    </message>
    <message>
        <source>the client %1 renewed the lock without checking the holder</source>
        <translation>客户端 %1 没有检查持有者就为锁续期</translation>
    </message>
    <message>
        <source>the client %1 set the expiry with a second command</source>
        <translation>客户端 %1 用第二条命令设置了过期时间</translation>
    </message>
    <message>
        <source>the client %1 did not acquire the lock, but set its expiry</source>
        <translation>客户端 %1 没有得到锁，却设置了它的过期时间</translation>
    </message>
    <message>
        <source>holders at once: %1; the limit is not recorded</source>
        <translation>同时的持有者：%1；最多可有几个，没有任何地方说明</translation>
    </message>
    <message>
        <source>not fully checked</source>
        <translation>未完全检查</translation>
    </message>
    <message>
        <source>The lock may have these problems</source>
        <translation>该锁可能有这些问题</translation>
    </message>
    <message>
        <source>Permit INFO and CONFIG GET to this user, or check the settings of the server</source>
        <translation>许可此用户执行 INFO 和 CONFIG GET，或检查服务器的设置</translation>
    </message>
    <message>
        <source>the server does not say in INFO or CONFIG GET what these depend on: %1</source>
        <translation>服务器没有在 INFO 或 CONFIG GET 中说明以下问题所取决的设置：%1</translation>
    </message>
</context>
<context>
    <name>GroupTexts</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>time left not known</source>
        <translation>剩余时间未知</translation>
    </message>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1, no majority</source>
        <translation>%1，未达多数</translation>
    </message>
    <message>
        <source>%1, majority not known</source>
        <translation>%1，是否多数未知</translation>
    </message>
    <message>
        <source>no longer</source>
        <translation>已失效</translation>
    </message>
    <message>
        <source>other holder, %1</source>
        <translation>其他持有者，%1</translation>
    </message>
    <message>
        <source>no key</source>
        <translation>没有该键</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>无应答</translation>
    </message>
    <message>
        <source>not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>%1 votes for the holder; time left: %2.</source>
        <translation>%1 投给该持有者；剩余时间：%2。</translation>
    </message>
    <message>
        <source>%1 has another holder, %2; time left: %3.</source>
        <translation>%1 上是另一个持有者 %2；剩余时间：%3。</translation>
    </message>
    <message>
        <source>%1 has no such key.</source>
        <translation>%1 上没有该键。</translation>
    </message>
    <message>
        <source>No server that answers has this key.</source>
        <translation>有应答的服务器上都没有该键。</translation>
    </message>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%1 / %2，%3</translation>
    </message>
    <message>
        <source>Votes for %1: %2.</source>
        <translation>%1 的票数：%2。</translation>
    </message>
    <message>
        <source>The holder may rely on the lock for at most %1.</source>
        <translation>持有者最多还能依靠此锁 %1。</translation>
    </message>
    <message>
        <source>The holder may no longer rely on the lock.</source>
        <translation>持有者不能再依靠此锁。</translation>
    </message>
    <message>
        <source>%1 is silent, nothing was seen for %2: %3. Its votes are not known.</source>
        <translation>%1 无应答，已有 %2 未观察到任何内容：%3。它的票未知。</translation>
    </message>
    <message>
        <source>The key on %1 is being read.</source>
        <translation>正在读取 %1 上的键。</translation>
    </message>
    <message>
        <source>The vote of %1 is not known: %2.</source>
        <translation>%1 的票未知：%2。</translation>
    </message>
    <message>
        <source>%1 refuses INFO: it is not known whether it is another server of the group, and its vote may be counted twice.</source>
        <translation>%1 拒绝 INFO：无法得知它是否就是组中的另一台服务器，它的票可能被计算两次。</translation>
    </message>
</context>
<context>
    <name>HolderLocationText</name>
    <message>
        <source>a JSON object; the holder is its field</source>
        <translation>一个 JSON 对象；持有者是其中的字段</translation>
    </message>
    <message>
        <source>a hash; the holder is its field</source>
        <translation>一个哈希；持有者是其中的字段</translation>
    </message>
    <message>
        <source>any text: the holder</source>
        <translation>持有者，不论内容</translation>
    </message>
</context>
<context>
    <name>KeyChangeText</name>
    <message>
        <source>%1 was deleted.</source>
        <translation>%1 已删除。</translation>
    </message>
    <message>
        <source>%1 was released.</source>
        <translation>%1 已释放。</translation>
    </message>
    <message>
        <source>%1 was not deleted</source>
        <translation>%1 未删除</translation>
    </message>
    <message>
        <source>%1 was not released</source>
        <translation>%1 未释放</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted</source>
        <translation>
            <numerusform>%Ln 个已删除</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln released</source>
        <translation>
            <numerusform>%Ln 个已释放</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source>%Ln failed: %1 (%2)</source>
        <translation>
            <numerusform>%Ln 个失败：%1（%2）</numerusform>
        </translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Deleting: %1</source>
        <translation>正在删除：%1</translation>
    </message>
    <message>
        <source>Releasing: %1</source>
        <translation>正在释放：%1</translation>
    </message>
    <message>
        <source>None of the selected locks can be released here.</source>
        <translation>选中的锁都不能在这里释放。</translation>
    </message>
    <message>
        <source>The expiry of %1 was set.</source>
        <translation>已设置 %1 的过期时间。</translation>
    </message>
    <message>
        <source>%1 was restored.</source>
        <translation>%1 已放回。</translation>
    </message>
    <message>
        <source>The previous expiry of %1 was restored.</source>
        <translation>%1 的过期时间已恢复为原来的。</translation>
    </message>
    <message>
        <source>The expiry of %1 was not set</source>
        <translation>未能设置 %1 的过期时间</translation>
    </message>
    <message>
        <source>%1 was not restored</source>
        <translation>%1 未放回</translation>
    </message>
    <message>
        <source>The previous expiry of %1 was not restored</source>
        <translation>%1 的过期时间未能恢复</translation>
    </message>
    <message>
        <source>it was changed in the meantime</source>
        <translation>它在此期间被修改过</translation>
    </message>
    <message>
        <source>it has changed since it was displayed</source>
        <translation>它在显示之后已改变</translation>
    </message>
    <message>
        <source>the condition for the new expiry is not met, or the expiry is already set</source>
        <translation>新的过期时间的条件不成立，或已是该时间</translation>
    </message>
    <message>
        <source>another client has acquired it in the meantime</source>
        <translation>期间已有别的客户端取得它</translation>
    </message>
    <message>
        <source>the previous expiry has passed</source>
        <translation>原来的过期时间已过</translation>
    </message>
    <message>
        <source>%1 no longer exists.</source>
        <translation>%1 已不存在。</translation>
    </message>
    <message numerus="yes">
        <source>expiry of %Ln set</source>
        <translation>
            <numerusform>%Ln 个已设置过期时间</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln restored</source>
        <translation>
            <numerusform>%Ln 个已放回</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>previous expiry of %Ln restored</source>
        <translation>
            <numerusform>%Ln 个已恢复原来的过期时间</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed in the meantime</source>
        <translation>
            <numerusform>%Ln 个期间已变化</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln no longer exist</source>
        <translation>
            <numerusform>%Ln 个已不存在</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unchanged</source>
        <translation>
            <numerusform>%Ln 个保持原样</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln acquired by another client</source>
        <translation>
            <numerusform>%Ln 个已被别的客户端取得</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>previous expiry of %Ln has passed</source>
        <translation>
            <numerusform>%Ln 个的过期时间已过</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln not changed, because you cancelled</source>
        <translation>
            <numerusform>%Ln 个未动，因为您已取消</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the key…</source>
        <translation>正在查看该键的现状…</translation>
    </message>
    <message>
        <source>Reading the keys: %1 of %2</source>
        <translation>正在查看这些键的现状：%1/%2</translation>
    </message>
    <message>
        <source>Setting the expiry: %1</source>
        <translation>正在设置过期时间：%1</translation>
    </message>
    <message>
        <source>Restoring: %1</source>
        <translation>正在放回：%1</translation>
    </message>
    <message>
        <source>Restoring the previous expiry: %1</source>
        <translation>正在恢复原来的过期时间：%1</translation>
    </message>
    <message>
        <source>1 no longer exists</source>
        <translation>1 个已不存在</translation>
    </message>
</context>
<context>
    <name>KeyText</name>
    <message>
        <source>%1; %2</source>
        <comment>when it ends, and how it is renewed</comment>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>%1.%2 s</source>
        <translation>%1.%2 秒</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 天 %2 小时</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>&gt; 100 years</source>
        <translation>&gt; 100 年</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>in over 200 years</source>
        <translation>200 多年后</translation>
    </message>
    <message>
        <source>(empty key)</source>
        <translation>（空键）</translation>
    </message>
    <message>
        <source>without a prefix</source>
        <comment>names of keys</comment>
        <translation>没有前缀</translation>
    </message>
    <message>
        <source>1 key</source>
        <translation>1 个键</translation>
    </message>
    <message numerus="yes">
        <source>%Ln keys</source>
        <translation>
            <numerusform>%Ln 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>%1   %2</source>
        <comment>a group of keys, and how many they are</comment>
        <translation>%1   %2</translation>
    </message>
    <message>
        <source>1 lock</source>
        <translation>1 把锁</translation>
    </message>
    <message numerus="yes">
        <source>%Ln locks</source>
        <translation>
            <numerusform>%Ln 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1   %2, %3</source>
        <comment>a group of keys, and how many keys and locks they are</comment>
        <translation>%1   %2，%3</translation>
    </message>
    <message>
        <source>Group %1, folded</source>
        <translation>组 %1，已折叠</translation>
    </message>
    <message>
        <source>Group %1, unfolded</source>
        <translation>组 %1，已展开</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>1 field: %1</source>
        <translation>1 个字段：%1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln fields: %1</source>
        <translation>
            <numerusform>%Ln 个字段：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>1 entry</source>
        <translation>1 个条目</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln 个条目</numerusform>
        </translation>
    </message>
    <message>
        <source>1 element: %1</source>
        <translation>1 个元素：%1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln elements: %1</source>
        <translation>
            <numerusform>%Ln 个元素：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ?</source>
        <comment>a kind of lock that is likely, and not certain</comment>
        <translation>%1 ？</translation>
    </message>
    <message>
        <source>× %1</source>
        <comment>how often a holder has the lock</comment>
        <translation>× %1</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>%1 holders</source>
        <translation>%1 个持有者</translation>
    </message>
    <message numerus="yes">
        <source>renewed %Ln times</source>
        <translation>
            <numerusform>续期 %Ln 次</numerusform>
        </translation>
    </message>
    <message>
        <source>(left out of the recording)</source>
        <translation>（录制时省略）</translation>
    </message>
    <message>
        <source>field %1</source>
        <comment>of a hash, and how long it has left</comment>
        <translation>字段 %1</translation>
    </message>
    <message>
        <source>field ≤ %1</source>
        <comment>of a hash of which a part was asked, and how long it has left</comment>
        <translation>字段 ≤ %1</translation>
    </message>
    <message>
        <source>%1; open</source>
        <comment>how many fields of a key end, and that they are listed</comment>
        <translation>%1；已展开</translation>
    </message>
    <message>
        <source>%1; closed</source>
        <comment>how many fields of a key end, and that they are not listed</comment>
        <translation>%1；已收起</translation>
    </message>
    <message>
        <source>(empty name)</source>
        <comment>of a field</comment>
        <translation>（空名称）</translation>
    </message>
    <message>
        <source>Field: %1</source>
        <translation>字段：%1</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>fields that end later, and fields that were not asked</comment>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>two lengths of time</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>renewed once</source>
        <translation>续期 1 次</translation>
    </message>
    <message>
        <source>%1, every %2</source>
        <translation>%1，每 %2</translation>
    </message>
    <message>
        <source>Expires at</source>
        <translation>到期时间</translation>
    </message>
    <message>
        <source>It expired</source>
        <translation>它的时间到了</translation>
    </message>
    <message>
        <source>It was removed before its expiry</source>
        <translation>它在过期之前被删除</translation>
    </message>
    <message>
        <source>It is gone; the cause was not observed (expired or removed)</source>
        <translation>它已消失；是时间到了还是被删除，没有看到</translation>
    </message>
    <message>
        <source>No expiry</source>
        <translation>不会过期</translation>
    </message>
    <message numerus="yes">
        <source>Expires: %1, ±%Ln ms</source>
        <translation>
            <numerusform>到期：%1，±%Ln 毫秒</numerusform>
        </translation>
    </message>
    <message>
        <source>%2 of %1 fields were checked; %3 expire, first: %4</source>
        <translation>检查了 %1 个字段中的 %2 个；其中 %3 个会过期，最先的：%4</translation>
    </message>
    <message>
        <source>One field expires: %1</source>
        <translation>有一个字段会过期：%1</translation>
    </message>
    <message>
        <source>%1 fields expire, first: %2</source>
        <translation>%1 个字段会过期，最先的：%2</translation>
    </message>
    <message>
        <source>1 field expires</source>
        <translation>1 个字段会结束</translation>
    </message>
    <message>
        <source>%1 fields expire</source>
        <translation>%1 个字段会结束</translation>
    </message>
    <message>
        <source>1 more field expires later</source>
        <translation>另有 1 个字段之后结束</translation>
    </message>
    <message>
        <source>%1 more fields expire later</source>
        <translation>另有 %1 个字段之后结束</translation>
    </message>
    <message>
        <source>1 field was not checked</source>
        <translation>有 1 个字段没有询问</translation>
    </message>
    <message>
        <source>%1 fields were not checked</source>
        <translation>有 %1 个字段没有询问</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a client and its address</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>a client, and the token that it has written</comment>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>KindText</name>
    <message>
        <source>a lock: one holder at a time</source>
        <translation>锁：同一时刻一个持有者</translation>
    </message>
    <message>
        <source>a read-write lock: many readers, or one writer</source>
        <translation>读写锁：多个读者，或一个写者</translation>
    </message>
    <message>
        <source>a semaphore: a limited number of holders</source>
        <translation>信号量：同时有若干持有者</translation>
    </message>
    <message>
        <source>a latch: clients wait for it; it has no holder</source>
        <translation>闭锁：客户端等待它，没有持有者</translation>
    </message>
    <message>
        <source>a job in progress on a worker</source>
        <translation>工作者取走的任务</translation>
    </message>
    <message>
        <source>a leader: one elected process</source>
        <translation>领导者：由一个进程负责</translation>
    </message>
    <message>
        <source>a unique job: the job is already queued</source>
        <translation>任务已经排队的标记</translation>
    </message>
    <message>
        <source>a limiter: a limited number of concurrent users</source>
        <translation>限流器：同时最多若干个</translation>
    </message>
    <message>
        <source>a heartbeat of a process</source>
        <translation>进程仍然活着的标志</translation>
    </message>
</context>
<context>
    <name>KindTitle</name>
    <message>
        <source>Token lock</source>
        <translation>令牌锁</translation>
    </message>
    <message>
        <source>Lock with owner</source>
        <translation>带所有者的锁</translation>
    </message>
    <message>
        <source>Semaphore</source>
        <translation>信号量</translation>
    </message>
    <message>
        <source>Constant, no owner</source>
        <translation>常量，无所有者</translation>
    </message>
    <message>
        <source>Deadline as value</source>
        <translation>值为截止时间</translation>
    </message>
    <message>
        <source>Medallion lock</source>
        <translation>Medallion 锁</translation>
    </message>
    <message>
        <source>Dapr lock</source>
        <translation>Dapr 锁</translation>
    </message>
    <message>
        <source>asynq leases</source>
        <translation>asynq 租约</translation>
    </message>
    <message>
        <source>gocraft unique job</source>
        <translation>gocraft 唯一作业</translation>
    </message>
    <message>
        <source>gocraft jobs</source>
        <translation>gocraft 作业</translation>
    </message>
    <message>
        <source>Redisson permits</source>
        <translation>Redisson 许可</translation>
    </message>
    <message>
        <source>Bee-Queue jobs</source>
        <translation>Bee-Queue 作业</translation>
    </message>
    <message>
        <source>Bottleneck jobs</source>
        <translation>Bottleneck 作业</translation>
    </message>
    <message>
        <source>redis++ lock</source>
        <translation>redis++ 锁</translation>
    </message>
    <message>
        <source>Laravel job lock</source>
        <translation>Laravel 作业锁</translation>
    </message>
    <message>
        <source>Sidekiq unique</source>
        <translation>Sidekiq 唯一作业</translation>
    </message>
    <message>
        <source>Sidekiq unique 9</source>
        <translation>Sidekiq 唯一作业 9</translation>
    </message>
    <message>
        <source>resque master</source>
        <translation>resque 主节点</translation>
    </message>
    <message>
        <source>GitLab lease</source>
        <translation>GitLab 租约</translation>
    </message>
</context>
<context>
    <name>Majority</name>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>held</source>
        <translation>被持有</translation>
    </message>
    <message>
        <source>%1, due</source>
        <translation>%1，已到期</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>does not respond</source>
        <translation>无响应</translation>
    </message>
    <message>
        <source>killed; data lost</source>
        <translation>已被杀死，空无一物</translation>
    </message>
    <message>
        <source>requesting…</source>
        <translation>正在询问…</translation>
    </message>
    <message>
        <source>not held</source>
        <translation>没有它</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
</context>
<context>
    <name>QCommandLineParser</name>
    <message>
        <source>Unknown option &apos;%1&apos;.</source>
        <translation>未知的选项“%1”。</translation>
    </message>
    <message>
        <source>Unknown options: %1.</source>
        <translation>未知的选项：%1。</translation>
    </message>
    <message>
        <source>Missing value after &apos;%1&apos;.</source>
        <translation>“%1”后缺少值。</translation>
    </message>
    <message>
        <source>Unexpected value after &apos;%1&apos;.</source>
        <translation>“%1”后有多余的值。</translation>
    </message>
</context>
<context>
    <name>Recognition</name>
    <message>
        <source>the value is %1</source>
        <translation>值是%1</translation>
    </message>
    <message>
        <source>its token was made %1 ago</source>
        <translation>它的令牌生成于 %1 前</translation>
    </message>
    <message>
        <source>the server knows a script of %1 (%2), so it has been used there</source>
        <translation>服务器知道 %1 的一个脚本（%2），所以那里用过它</translation>
    </message>
    <message>
        <source>its lease of %1 is renewed; seen so far: %2</source>
        <translation>它 %1 的租约有续期；迄今见过：%2</translation>
    </message>
    <message>
        <source>other keys with the same value: %1</source>
        <translation>值相同的其他键：%1</translation>
    </message>
    <message>
        <source>its lease is at most %1</source>
        <translation>它的租约最多为 %1</translation>
    </message>
    <message>
        <source>a UUID of version 1 without dashes, which has a time and a machine in it</source>
        <translation>不带连字符的第 1 版 UUID，其中含有时间和机器</translation>
    </message>
    <message>
        <source>a UUID of version 1, which has a time and a machine in it</source>
        <translation>第 1 版 UUID，其中含有时间和机器</translation>
    </message>
    <message>
        <source>a random UUID</source>
        <translation>随机 UUID</translation>
    </message>
    <message>
        <source>a UUID</source>
        <translation>UUID</translation>
    </message>
    <message>
        <source>32 hexadecimal digits</source>
        <translation>32 位十六进制数字</translation>
    </message>
    <message>
        <source>64 hexadecimal digits</source>
        <translation>64 位十六进制数字</translation>
    </message>
    <message>
        <source>16 bytes in base64</source>
        <translation>16 字节的 base64</translation>
    </message>
    <message>
        <source>18 bytes in base64</source>
        <translation>18 字节的 base64</translation>
    </message>
    <message>
        <source>16 bytes in base64 for URLs, and what may follow them</source>
        <translation>16 字节的 URL 用 base64，以及可能跟在后面的内容</translation>
    </message>
    <message>
        <source>16 letters and digits</source>
        <translation>16 个字母和数字</translation>
    </message>
    <message>
        <source>16 letters</source>
        <translation>16 个字母</translation>
    </message>
    <message>
        <source>20 letters and digits</source>
        <translation>20 个字母和数字</translation>
    </message>
    <message>
        <source>22 letters and digits</source>
        <translation>22 个字母和数字</translation>
    </message>
    <message>
        <source>16 bytes that are no text</source>
        <translation>16 个不是文本的字节</translation>
    </message>
    <message>
        <source>20 bytes that are no text</source>
        <translation>20 个不是文本的字节</translation>
    </message>
    <message>
        <source>32 bytes that are no text</source>
        <translation>32 个不是文本的字节</translation>
    </message>
    <message>
        <source>a time as PHP&apos;s uniqid() writes it</source>
        <translation>PHP 的 uniqid() 所写的时间</translation>
    </message>
    <message>
        <source>a short text</source>
        <translation>一小段文本</translation>
    </message>
    <message>
        <source>a Unix time</source>
        <translation>Unix 时间</translation>
    </message>
    <message>
        <source>a Unix time in milliseconds</source>
        <translation>以毫秒计的 Unix 时间</translation>
    </message>
    <message>
        <source>a Unix time with a fraction</source>
        <translation>带小数的 Unix 时间</translation>
    </message>
    <message>
        <source>an array of times and tokens in MessagePack</source>
        <translation>MessagePack 格式的时间与令牌数组</translation>
    </message>
    <message>
        <source>the name of a machine with a process on it</source>
        <translation>机器名和其上的进程</translation>
    </message>
    <message>
        <source>a short name</source>
        <translation>一个短名称</translation>
    </message>
    <message>
        <source>a JSON object that names an owner</source>
        <translation>写明所有者的 JSON 对象</translation>
    </message>
    <message>
        <source>a hash that names an owner</source>
        <translation>写明所有者的哈希</translation>
    </message>
    <message>
        <source>a machine&apos;s name, a process&apos;s number and a random number</source>
        <translation>机器名、进程号和随机数</translation>
    </message>
    <message>
        <source>a set of machines&apos; names with processes&apos; and random numbers</source>
        <translation>由机器名、进程号和随机数构成的集合</translation>
    </message>
    <message>
        <source>a sorted set of machines&apos; names with processes&apos; and random numbers</source>
        <translation>由机器名、进程号和随机数构成的有序集合</translation>
    </message>
    <message>
        <source>a worker&apos;s UUID and a number</source>
        <translation>工作者的 UUID 和一个编号</translation>
    </message>
    <message>
        <source>a hash that tells of a running process</source>
        <translation>说明某个运行中进程的哈希</translation>
    </message>
    <message>
        <source>a hash with the UUID of a JVM and a thread&apos;s number, and how often it is inside</source>
        <translation>含 JVM 的 UUID、线程号以及重入次数的哈希</translation>
    </message>
    <message>
        <source>a hash with a mode, and the readers or the writer</source>
        <translation>含模式以及读者或写者的哈希</translation>
    </message>
    <message>
        <source>a hash of holders with their ends and counts</source>
        <translation>含持有者及其结束时间和次数的哈希</translation>
    </message>
    <message>
        <source>the UUID of a JVM and a thread&apos;s number in JSON, and how often it is inside</source>
        <translation>JSON 中的 JVM 的 UUID 和线程号，以及重入次数</translation>
    </message>
    <message>
        <source>a sorted set of permits of 16 bytes with their ends</source>
        <translation>由 16 字节许可及其结束时间构成的有序集合</translation>
    </message>
    <message>
        <source>a sorted set of holders, 32 bytes in base64 each, with their ends</source>
        <translation>持有者（各为 32 字节的 base64）及其结束时间的有序集合</translation>
    </message>
    <message>
        <source>a hash of jobs with the times at which they got it</source>
        <translation>任务及其取得时间的哈希</translation>
    </message>
    <message>
        <source>a hash of jobs</source>
        <translation>任务的哈希</translation>
    </message>
    <message>
        <source>lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>read-write lock</source>
        <translation>读写锁</translation>
    </message>
    <message>
        <source>semaphore</source>
        <translation>信号量</translation>
    </message>
    <message>
        <source>latch</source>
        <translation>闭锁</translation>
    </message>
    <message>
        <source>job at work</source>
        <translation>进行中的任务</translation>
    </message>
    <message>
        <source>leader</source>
        <translation>领导者</translation>
    </message>
    <message>
        <source>unique job</source>
        <translation>唯一任务</translation>
    </message>
    <message>
        <source>limiter</source>
        <translation>限流器</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>可能</translation>
    </message>
    <message>
        <source>probable</source>
        <translation>较可能</translation>
    </message>
    <message>
        <source>very probable</source>
        <translation>很可能</translation>
    </message>
    <message>
        <source>certain</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>process %1 on %2</source>
        <translation>%2 上的进程 %1</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%2 上的 %1</translation>
    </message>
    <message>
        <source>thread %1 of %2</source>
        <translation>%2 的线程 %1</translation>
    </message>
    <message>
        <source>machine: %1</source>
        <translation>机器：%1</translation>
    </message>
    <message>
        <source>process: %1</source>
        <translation>进程：%1</translation>
    </message>
    <message>
        <source>client: %1</source>
        <translation>客户端：%1</translation>
    </message>
    <message>
        <source>thread: %1</source>
        <translation>线程：%1</translation>
    </message>
    <message>
        <source>network card: %1</source>
        <translation>网卡：%1</translation>
    </message>
    <message>
        <source>holds: %1</source>
        <translation>持有：%1</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写</translation>
    </message>
    <message>
        <source>since: %1</source>
        <translation>自：%1</translation>
    </message>
    <message>
        <source>until: %1</source>
        <translation>至：%1</translation>
    </message>
    <message>
        <source>a UUID of version 1 in base64, which has a time and a machine in it</source>
        <translation>base64 编码的第 1 版 UUID，其中含有时间和机器</translation>
    </message>
    <message>
        <source>the key has a word for a lock in it: &quot;%1&quot;</source>
        <translation>键名中有表示锁的词：“%1”</translation>
    </message>
    <message>
        <source>there is no key &quot;%1&quot;</source>
        <translation>没有键“%1”</translation>
    </message>
    <message>
        <source>connections that listen to &quot;%1&quot;: %2</source>
        <translation>监听“%1”的连接：%2</translation>
    </message>
    <message>
        <source>the key has the naming pattern of %1</source>
        <translation>该键的名称与 %1 为自己的键取名的方式相同</translation>
    </message>
    <message>
        <source>the value has the format of %1</source>
        <translation>值的写法与 %1 相同</translation>
    </message>
    <message>
        <source>the value is serialised by %1</source>
        <translation>值外面有 %1 的包装</translation>
    </message>
    <message>
        <source>the key &quot;%1&quot; exists too</source>
        <translation>还有键“%1”</translation>
    </message>
    <message>
        <source>other tokens that were deleted before their expiry, as by a release: %1</source>
        <translation>其中曾有其他令牌在过期之前被删除（与释放锁的做法相同）：%1</translation>
    </message>
    <message>
        <source>a token that looks random</source>
        <translation>看似随机抽取的令牌</translation>
    </message>
    <message>
        <source>a value chosen by the caller</source>
        <translation>调用者选定的值</translation>
    </message>
    <message>
        <source>a constant that every holder writes</source>
        <translation>每个持有者都写的同一个常量</translation>
    </message>
    <message>
        <source>empty, without a holder</source>
        <translation>空的，没有持有者</translation>
    </message>
    <message>
        <source>a number: available permits</source>
        <translation>数字：可用的许可数</translation>
    </message>
    <message>
        <source>a number: remaining count</source>
        <translation>数字：还要等多少</translation>
    </message>
    <message>
        <source>a number: permits in use</source>
        <translation>数字：已占用的许可数</translation>
    </message>
    <message>
        <source>a list of active jobs</source>
        <translation>正在工作者的列表</translation>
    </message>
    <message>
        <source>a sorted set with current times as scores</source>
        <translation>以当前时间为分值的有序集合</translation>
    </message>
    <message>
        <source>a hash with times as values</source>
        <translation>以时间为值的哈希</translation>
    </message>
    <message>
        <source>heartbeat</source>
        <translation>存活标志</translation>
    </message>
</context>
<context>
    <name>RemovalText</name>
    <message>
        <source>This cannot be undone.</source>
        <translation>此操作无法撤销。</translation>
    </message>
    <message>
        <source>It is a lock of %1.</source>
        <translation>这是 %1 的锁。</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>删除(&amp;D)</translation>
    </message>
    <message>
        <source>Delete a key</source>
        <translation>删除键</translation>
    </message>
    <message>
        <source>Delete this key?</source>
        <translation>删除这个键？</translation>
    </message>
    <message>
        <source>Delete keys</source>
        <translation>删除多个键</translation>
    </message>
    <message numerus="yes">
        <source>Delete these %Ln keys?</source>
        <translation>
            <numerusform>删除这 %Ln 个键？</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Release</source>
        <translation>释放(&amp;R)</translation>
    </message>
    <message>
        <source>Release a lock</source>
        <translation>释放锁</translation>
    </message>
    <message>
        <source>Release this lock?</source>
        <translation>释放这把锁？</translation>
    </message>
    <message>
        <source>Release locks</source>
        <translation>释放多把锁</translation>
    </message>
    <message numerus="yes">
        <source>Release these %Ln locks?</source>
        <translation>
            <numerusform>释放这 %Ln 把锁？</numerusform>
        </translation>
    </message>
    <message>
        <source>Only values of up to 1 MiB that can be read completely can be restored.</source>
        <translation>只有不超过 1 MiB 且允许完整读取的值才能放回。</translation>
    </message>
    <message numerus="yes">
        <source>For %Ln of them this cannot be undone.</source>
        <translation>
            <numerusform>其中 %Ln 个无法撤销。</numerusform>
        </translation>
    </message>
    <message>
        <source>The key is deleted, as its holder would do it.</source>
        <translation>将像持有者那样删除它的键。</translation>
    </message>
    <message>
        <source>The key is deleted and the waiting clients are notified, as its holder would do it.</source>
        <translation>将像持有者那样删除键，并通知等待的客户端。</translation>
    </message>
    <message numerus="yes">
        <source>Its holder has acquired it %Ln times; all holds end.</source>
        <translation>
            <numerusform>持有者已获取它 %Ln 次；全部结束。</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>It is deleted only if value and expiry are unchanged.</source>
        <translation>只有值和过期时间都没有变化时才会删除。</translation>
    </message>
    <message>
        <source>It is deleted only if the beginning and size of its value and its expiry are unchanged. The rest of the value is not compared.</source>
        <translation>只有值的开头和大小以及过期时间都没有变化时才会删除。值的其余部分不比较。</translation>
    </message>
    <message>
        <source>If another client has released, extended or acquired it in the meantime, it is not changed.</source>
        <translation>如果期间有别的客户端释放、续期或取得了它，就不会改动。</translation>
    </message>
    <message>
        <source>Each is deleted only if its value and expiry are unchanged.</source>
        <translation>只有值和过期时间都没有变化的键才会删除。</translation>
    </message>
    <message>
        <source>Each is deleted only if its value and expiry are unchanged. Of large values, beginning and size are compared.</source>
        <translation>只有值和过期时间都没有变化的键才会删除。较大的值比较开头和大小。</translation>
    </message>
    <message>
        <source>Locks that another client has released, extended or acquired in the meantime are not changed.</source>
        <translation>期间被别的客户端释放、续期或取得的锁不会改动。</translation>
    </message>
    <message>
        <source>It is released only if value and expiry are unchanged.</source>
        <translation>只有值和过期时间都没有变化时才会释放。</translation>
    </message>
    <message>
        <source>Its holder is not notified and may continue as if it still held the lock.</source>
        <translation>不会通知它的持有者：它可能以为自己仍持有锁而继续下去。</translation>
    </message>
    <message>
        <source>Each is released as its holder would do it, all holds at once, and only if its value and expiry are unchanged.</source>
        <translation>每把锁都像其持有者那样释放，一次释放全部持有，且只有值和过期时间都没有变化时才会释放。</translation>
    </message>
    <message>
        <source>Their holders are not notified and may continue as if they still held the locks.</source>
        <translation>不会通知它们的持有者：它们可能以为自己仍持有锁而继续下去。</translation>
    </message>
    <message>
        <source>A lock of this kind may also be held on other servers; it stays there.</source>
        <translation>这种锁也可能在其他服务器上持有，在那里会保留。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more selected locks cannot be released here and are not changed.</source>
        <translation>
            <numerusform>选中的另外 %Ln 把锁不能在这里释放，不会改动。</numerusform>
        </translation>
    </message>
    <message>
        <source>it is not recognised as a lock</source>
        <translation>看不出它是锁</translation>
    </message>
    <message>
        <source>its library is uncertain, and so is the way to release it</source>
        <translation>不能确定是什么写入的它，也就不知道如何释放</translation>
    </message>
    <message>
        <source>each holder releases its own part; the lock can only be deleted as a whole (%1)</source>
        <translation>每个持有者各自释放自己的部分；锁只能整个删除（%1）</translation>
    </message>
    <message>
        <source>its permits are returned by their holders; the semaphore can only be deleted as a whole (%1)</source>
        <translation>它的许可由各持有者归还；信号量只能整个删除（%1）</translation>
    </message>
    <message>
        <source>other clients wait in its queue and only its library can notify them; it can only be deleted (%1)</source>
        <translation>还有别的客户端在它的队列中等待，只有它的库能通知它们；只能删除（%1）</translation>
    </message>
    <message>
        <source>its job would have to be moved in its queue too; it can only be deleted (%1)</source>
        <translation>它的任务还得在队列中移动；只能删除（%1）</translation>
    </message>
    <message>
        <source>its library does more than delete it; it can only be deleted (%1)</source>
        <translation>它的库为此所做的不止删除；只能删除（%1）</translation>
    </message>
</context>
<context>
    <name>Schedules</name>
    <message>
        <source>two clients are never inside at once, whichever clients crash, if no living holder stays longer than its lease and the clocks agree</source>
        <translation>只要没有存活的持有者超出租约、时钟一致，不论哪些客户端崩溃，都不会有两个客户端同时在里面</translation>
    </message>
    <message>
        <source>the lock of a crashed holder becomes free</source>
        <translation>崩溃的持有者的锁会重新空闲</translation>
    </message>
    <message>
        <source>no client ends or changes a lock that another client holds</source>
        <translation>没有客户端会结束或更改另一个客户端持有的锁</translation>
    </message>
    <message>
        <source>a failed acquire leaves the holder&apos;s value and lease unchanged</source>
        <translation>获取失败不会改变持有者的值和租约</translation>
    </message>
    <message>
        <source>mutual-exclusion, also if the clients&apos; clocks differ by more than a lease</source>
        <translation>即使客户端的时钟相差超过一个租约，仍有 mutual-exclusion</translation>
    </message>
    <message>
        <source>a resource that checks fencing numbers refuses the write of an older holder after that of a newer one</source>
        <translation>检查栅栏编号的资源在接受新持有者的写入之后，不会再接受旧持有者的写入</translation>
    </message>
    <message>
        <source>mutual-exclusion, also if a replica takes over that lacks the last writes</source>
        <translation>mutual-exclusion，即使接管的副本缺少最后的写入</translation>
    </message>
    <message>
        <source>mutual-exclusion, also if a server restarts empty, or without its last writes</source>
        <translation>mutual-exclusion，即使服务器重启后是空的，或缺少最后的写入</translation>
    </message>
    <message>
        <source>mutual-exclusion, also if the clock of a server jumps forward</source>
        <translation>mutual-exclusion，即使服务器的时钟向前跳</translation>
    </message>
    <message>
        <source>mutual-exclusion, also if a client does not reach a server for a while</source>
        <translation>mutual-exclusion，即使某个客户端一段时间连不到某台服务器</translation>
    </message>
    <message>
        <source>no data is left without an expiry</source>
        <translation>不会留下没有过期时间的数据</translation>
    </message>
    <message>
        <source>no key of the recipe is left without an expiry</source>
        <translation>不会留下没有过期时间的方案的键</translation>
    </message>
    <message>
        <source>a key with a value of another type keeps its value and its expiry</source>
        <translation>持有其他类型值的键保留其值和过期时间</translation>
    </message>
    <message>
        <source>a reader sees all fields of one write and none of another</source>
        <translation>读取者看到一次写入的全部字段，看不到另一次写入的字段</translation>
    </message>
    <message>
        <source>while the guard lasts, only one client recomputes a miss</source>
        <translation>守卫有效期间，未命中只由一个客户端重算</translation>
    </message>
    <message>
        <source>1 client</source>
        <translation>1 个客户端</translation>
    </message>
    <message>
        <source>%1 clients</source>
        <translation>%1 个客户端</translation>
    </message>
    <message>
        <source>1 crash</source>
        <translation>1 次崩溃</translation>
    </message>
    <message>
        <source>%1 crashes</source>
        <translation>%1 次崩溃</translation>
    </message>
    <message>
        <source>1 expiration</source>
        <translation>1 次到期</translation>
    </message>
    <message>
        <source>%1 expirations</source>
        <translation>%1 次到期</translation>
    </message>
    <message>
        <source>1 timer step</source>
        <translation>1 个计时步</translation>
    </message>
    <message>
        <source>%1 timer steps</source>
        <translation>%1 个计时步</translation>
    </message>
    <message>
        <source>1 lost reply</source>
        <translation>1 个丢失的应答</translation>
    </message>
    <message>
        <source>%1 lost replies</source>
        <translation>%1 个丢失的应答</translation>
    </message>
    <message>
        <source>1 preemption</source>
        <translation>1 次抢占</translation>
    </message>
    <message>
        <source>%1 preemptions</source>
        <translation>%1 次抢占</translation>
    </message>
    <message>
        <source>%1 on %2 servers</source>
        <translation>%2 台服务器上的%1</translation>
    </message>
    <message>
        <source>%1 without faults</source>
        <translation>%1，没有故障</translation>
    </message>
    <message>
        <source>%1 with at most %2</source>
        <translation>%1，至多 %2</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>The program&apos;s clock was virtual: time advanced only at the steps shown.</source>
        <translation>程序的时钟是虚拟的：时间只在所示的步骤前进。</translation>
    </message>
    <message>
        <source>The program&apos;s clock was partly virtual: it also uses timers of the system, and behaviour that depends on these was not explored.</source>
        <translation>程序的时钟部分是虚拟的：它还使用系统的计时器，取决于这些的行为没有探索。</translation>
    </message>
    <message>
        <source>The program&apos;s clock was real: behaviour that depends on the time of day or on waiting times was not explored.</source>
        <translation>程序的时钟是真实的：取决于钟点或等待时长的行为没有探索。</translation>
    </message>
    <message>
        <source>Some clients ended with exit code %1 without output.</source>
        <translation>有些客户端以退出码 %1 结束，什么也没有打印。</translation>
    </message>
    <message>
        <source>Some clients ended with exit code %1; last output: %2</source>
        <translation>有些客户端以退出码 %1 结束；其中一个最后打印的是：%2</translation>
    </message>
    <message>
        <source>Promises:
</source>
        <translation>保证：
</translation>
    </message>
    <message>
        <source>no client overwrites a value that another client has written since it read the key</source>
        <translation>没有客户端覆盖另一个客户端在它读取键之后写入的值</translation>
    </message>
    <message>
        <source>Livelock: one client alone, without any fault, repeats %1 forever. It never ends, so promises about the state after all clients have ended say little.</source>
        <translation>活锁：单独一个客户端，在没有任何故障的情况下，永远重复 %1。它从不结束，因此关于所有客户端结束之后的保证几乎没有意义。</translation>
    </message>
    <message>
        <source>No client ended in any schedule, so promises about the state after all clients have ended say little.</source>
        <translation>没有任何调度中有客户端结束，因此关于所有客户端结束之后的保证几乎没有意义。</translation>
    </message>
    <message>
        <source>Endless retries: a client repeated the same failing steps %1 times and was treated as retrying forever.</source>
        <translation>无限重试：有客户端把同样的失败步骤重复了 %1 次，被当作永远重试。</translation>
    </message>
    <message>
        <source>Busy wait: a client repeats its commands without sleeping until a time of its clock. Time does not advance in such a loop, so what the client does afterwards was not explored: let it sleep between two attempts.</source>
        <translation>忙等待：一个客户端不休眠地重复其命令，直到其时钟的某个时间。在这样的循环中时间不前进，因此没有探索该客户端之后的行为：请让它在两次尝试之间休眠。</translation>
    </message>
    <message>
        <source>Many retries: after more than %1 retries, a client does something else, which was not explored: let it retry less often, or end after the last retry.</source>
        <translation>重试次数过多：超过 %1 次重试之后，有客户端会做别的事情，这部分没有探索：请让它减少重试次数，或者在最后一次重试之后结束。</translation>
    </message>
    <message>
        <source>1 failover</source>
        <translation>1 次故障转移</translation>
    </message>
    <message>
        <source>%1 failovers</source>
        <translation>%1 次故障转移</translation>
    </message>
    <message>
        <source>1 restart</source>
        <translation>1 次重启</translation>
    </message>
    <message>
        <source>%1 restarts</source>
        <translation>%1 次重启</translation>
    </message>
    <message>
        <source>1 clock jump</source>
        <translation>1 次时钟跳变</translation>
    </message>
    <message>
        <source>%1 clock jumps</source>
        <translation>%1 次时钟跳变</translation>
    </message>
    <message>
        <source>1 partition</source>
        <translation>1 次网络分区</translation>
    </message>
    <message>
        <source>%1 partitions</source>
        <translation>%1 次网络分区</translation>
    </message>
</context>
<context>
    <name>StatusText</name>
    <message>
        <source>1 key</source>
        <translation>1 个键</translation>
    </message>
    <message numerus="yes">
        <source>%Ln keys</source>
        <translation>
            <numerusform>%Ln 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>%1 expired %2 s ago</source>
        <translation>%1 于 %2 秒前过期</translation>
    </message>
    <message>
        <source>%1 removed %2 s ago</source>
        <translation>%1 于 %2 秒前被删除</translation>
    </message>
    <message>
        <source>%1 gone %2 s ago</source>
        <translation>%1 于 %2 秒前消失</translation>
    </message>
    <message numerus="yes">
        <source>%Ln without expiry</source>
        <translation>
            <numerusform>%Ln 个无过期时间</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln due and not shown</source>
        <translation>
            <numerusform>%Ln 个已到期未显示</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln shown</source>
        <translation>
            <numerusform>已显示 %Ln 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>incomplete: the server has %Ln</source>
        <translation>
            <numerusform>不完整：服务器有 %Ln 个</numerusform>
        </translation>
    </message>
    <message>
        <source>sorting…</source>
        <translation>正在排序…</translation>
    </message>
    <message>
        <source>scanned %1 of %2</source>
        <translation>已扫描 %1/%2</translation>
    </message>
    <message>
        <source>No server yet</source>
        <translation>尚无服务器</translation>
    </message>
    <message>
        <source>No connection</source>
        <translation>无连接</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>No key matches</source>
        <translation>没有匹配的键</translation>
    </message>
    <message>
        <source>No keys here</source>
        <translation>这里没有键</translation>
    </message>
    <message>
        <source>Start a private server</source>
        <translation>启动私有服务器</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Go to the Playground</source>
        <translation>前往演练场</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>One of the copied keys is not text: its bytes are written as \xNN.</source>
        <translation>复制的键中有一个不是文本：其字节写作 \xNN。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the copied keys are not text: their bytes are written as \xNN.</source>
        <translation>
            <numerusform>复制的键中有 %Ln 个不是文本：其字节写作 \xNN。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 flushed %2 s ago</source>
        <translation>%1 于 %2 秒前被清空</translation>
    </message>
    <message>
        <source>not readable: the server has %1</source>
        <translation>看不到：服务器有%1</translation>
    </message>
    <message>
        <source>number of keys unknown</source>
        <translation>键的数量未知</translation>
    </message>
    <message>
        <source>The server reports %1, but does not permit reading them. %2.</source>
        <translation>服务器报告有%1，但不许可读取。%2。</translation>
    </message>
    <message>
        <source>The number of keys is unknown: the server does not permit reading them. %1.</source>
        <translation>键数未知：服务器不许可读取。%1。</translation>
    </message>
    <message>
        <source>No permission to read keys</source>
        <translation>无权读取键</translation>
    </message>
    <message>
        <source>No data yet</source>
        <translation>尚未看到任何内容</translation>
    </message>
    <message>
        <source>The keys had not been read at this time of the recording.</source>
        <translation>在录制的这一时刻，还没有查看过键。</translation>
    </message>
    <message>
        <source>There were no keys at this time of the recording.</source>
        <translation>在录制的这一时刻没有键。</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message numerus="yes">
        <source>new keys appear within %Ln s</source>
        <translation>
            <numerusform>%Ln 秒内会看到新键</numerusform>
        </translation>
    </message>
    <message>
        <source>Keyspace notifications</source>
        <translation>键空间通知</translation>
    </message>
    <message>
        <source>Client tracking</source>
        <translation>客户端跟踪</translation>
    </message>
    <message>
        <source>Polling only</source>
        <translation>仅轮询</translation>
    </message>
    <message>
        <source>The server sends an event for each change of a key (keyspace notifications). Short holds and the end of each hold are seen.</source>
        <translation>服务器会实时告知每个键上发生的事（键空间通知）。因此短暂的持有以及每次持有如何结束也都能看到。</translation>
    </message>
    <message>
        <source>The server reports which keys change (client tracking), but not how. Short holds are seen; the way in which a hold ended is inferred from its TTL, and the first of two writes in quick succession may be missed.</source>
        <translation>服务器会实时告知哪些键有变化（客户端跟踪），但不说明发生了什么。因此短暂的持有也能看到；但持有如何结束要由其剩余时间推断，而同时发生的两次写入，可能看不到第一次。</translation>
    </message>
    <message>
        <source>The server does not report changes: keys are polled in turn. Holds shorter than one round may be missed, and the way in which a hold ended may be unknown.</source>
        <translation>服务器不告知变化：逐个轮流询问各个键。因此比一轮更短的持有可能会错过，结束的原因也可能“没有看到”。</translation>
    </message>
    <message>
        <source>Reason: %1.</source>
        <translation>原因：%1。</translation>
    </message>
    <message>
        <source>The server evicts by use (%1), and reading a value counts as use: locks and displayed keys are evicted later.</source>
        <translation>服务器按使用情况淘汰（%1），而读取值也算使用：屏幕上的键和每把锁会比原本留得更久。</translation>
    </message>
    <message>
        <source>This command, sent by an administrator, gives this user the missing permission for client tracking. No server setting is changed. It takes effect with the next connection. If the user may already use every channel (&amp;*), omit the part with &amp;: the server refuses the command with it.</source>
        <translation>由管理员发送这条命令，即可给此用户补上客户端跟踪所缺的许可。不会改变服务器的任何设置。从下一次连接起生效。如果该用户本来就可以使用所有频道（&amp;*），请去掉含 &amp; 的部分：带着它，服务器会拒绝这条命令。</translation>
    </message>
    <message>
        <source>This command enables keyspace notifications. It replaces the current setting for all clients until the server restarts. Each change of a key then costs the server a little more, even without listeners.</source>
        <translation>这条命令启用键空间通知。它取代所有客户端现有的设置，直到服务器重启。此后即使没有监听者，键的每次变化也会让服务器多一点开销。</translation>
    </message>
    <message>
        <source>Enter the URL of a server above, or try a private server that Latchkey starts.</source>
        <translation>请在上方输入服务器的 URL，或者在 Latchkey 为您启动的私有服务器上随便看看。</translation>
    </message>
    <message>
        <source>Reading keys…</source>
        <translation>正在查看键…</translation>
    </message>
    <message>
        <source>There is 1 key, but the filter hides it.</source>
        <translation>有 1 个键，但不符合筛选条件。</translation>
    </message>
    <message numerus="yes">
        <source>There are %Ln keys, but the filter hides all of them.</source>
        <translation>
            <numerusform>有 %Ln 个键，但没有一个符合筛选条件。</numerusform>
        </translation>
    </message>
    <message>
        <source>Only expired keys</source>
        <translation>只剩已过期的键</translation>
    </message>
    <message>
        <source>The server is being asked if they are gone.</source>
        <translation>正在询问服务器它们是否已消失。</translation>
    </message>
    <message>
        <source>This private server is empty. Start clients in the Playground, or write a key with redis-cli: it appears here at once.</source>
        <translation>这台私有服务器是空的。请在演练场让客户端争一把锁，或用 redis-cli 写入一个键：它随即会出现在这里。</translation>
    </message>
    <message>
        <source>This cluster node has no keys; other nodes may have some. A key written to this node appears here at once.</source>
        <translation>集群的这个节点没有键；其他节点可能有。写入此节点的键随即会出现在这里。</translation>
    </message>
    <message>
        <source>This database is empty. A new key appears here at once.</source>
        <translation>这个数据库是空的。写入的键随即会出现在这里。</translation>
    </message>
    <message>
        <source>Incomplete view: %1</source>
        <translation>显示不完整：%1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln keys selected</source>
        <translation>
            <numerusform>已选中 %Ln 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is hidden by the filter; it stays selected</source>
        <translation>%1 被筛选隐藏；它仍是选中的键</translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected keys are hidden by the filter; they stay selected</source>
        <translation>
            <numerusform>%Ln 个选中的键被筛选隐藏；它们仍是选中的</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected keys are gone or hidden by the filter; they are selected again if they return</source>
        <translation>
            <numerusform>%Ln 个选中的键已消失或被筛选隐藏；它们回来时会重新选中</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is gone; it is selected again if it returns</source>
        <translation>%1 已消失；它回来时会重新选中</translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected keys are gone; they are selected again if they return</source>
        <translation>
            <numerusform>%Ln 个选中的键已消失；它们回来时会重新选中</numerusform>
        </translation>
    </message>
    <message>
        <source>Select a key to copy or change it</source>
        <translation>选择一个键以复制或更改</translation>
    </message>
    <message>
        <source>Select a key to see its details</source>
        <translation>选择一个键以查看更多内容</translation>
    </message>
    <message numerus="yes">
        <source>The server does not answer. The view is %Ln s old.</source>
        <translation>
            <numerusform>服务器没有应答。所显示的是 %Ln 秒前的状态。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No connection. The view is %Ln s old.</source>
        <translation>
            <numerusform>没有连接。所显示的是 %Ln 秒前的状态。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The server was not reachable at this time. The view is %Ln s older.</source>
        <translation>
            <numerusform>此时无法到达服务器。所显示的是此前 %Ln 秒的状态。</numerusform>
        </translation>
    </message>
    <message>
        <source>Recently ended keys</source>
        <translation>最近结束的键</translation>
    </message>
    <message>
        <source>No key was seen to end within the last minute</source>
        <translation>最近一分钟内没有看到键消失</translation>
    </message>
    <message numerus="yes">
        <source>At least %Ln of all keys ended within the last minute</source>
        <translation>
            <numerusform>最近一分钟内所有键中至少消失 %Ln 个</numerusform>
        </translation>
    </message>
    <message>
        <source>No key ended within the last minute</source>
        <translation>最近一分钟内没有键消失</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of all keys ended within the last minute</source>
        <translation>
            <numerusform>最近一分钟内所有键中消失 %Ln 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Recently ended keys: unknown at present</source>
        <translation>最近结束的键：目前未知</translation>
    </message>
    <message>
        <source>The server reports %1, but they could not be read. %2.</source>
        <translation>服务器报告有%1，但无法读取。%2。</translation>
    </message>
    <message>
        <source>The number of keys is unknown: they could not be read. %1.</source>
        <translation>键数未知：无法读取。%1。</translation>
    </message>
    <message>
        <source>The keys cannot be read</source>
        <translation>无法读取键</translation>
    </message>
    <message>
        <source>%1 ended %2 to %3 s ago, not seen how</source>
        <translation>%1 于 %2 到 %3 秒前结束，未看到原因</translation>
    </message>
    <message>
        <source>The server no longer lets this user read %1; it stays selected</source>
        <translation>服务器不再允许读取 %1；它仍保持选中</translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected keys are gone, hidden by the filter or not permitted to be read; they are selected again if they return</source>
        <translation>
            <numerusform>%Ln 个选中的键已消失、被筛选隐藏或不允许读取；它们回来时会再次选中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected keys are gone or not permitted to be read; they are selected again if they return</source>
        <translation>
            <numerusform>%Ln 个选中的键已消失或不允许读取；它们回来时会再次选中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No key has been read for %Ln s: %1.</source>
        <translation>
            <numerusform>已有 %Ln 秒没有读到任何键：%1。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No key was seen to end within the last %Ln s; before that, ends could not be seen</source>
        <translation>
            <numerusform>最近 %Ln 秒内没有看到键结束；更早的结束看不到</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 expired %2 to %3 s ago</source>
        <translation>%1 于 %2 到 %3 秒前过期</translation>
    </message>
    <message>
        <source>No keys when last read</source>
        <translation>上次读取时没有键</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>released or deleted</source>
        <translation>已释放或删除</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>被淘汰</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>被清空</translation>
    </message>
    <message>
        <source>deleted here</source>
        <translation>由我们删除</translation>
    </message>
    <message>
        <source>cause not seen</source>
        <translation>未见原因</translation>
    </message>
</context>
<context>
    <name>ValueText</name>
    <message>
        <source>%1, the first %2 of %3 bytes</source>
        <translation>%1，%3 字节中的前 %2 字节</translation>
    </message>
    <message>
        <source>%1, the first %2 of %3 elements</source>
        <translation>%1，%3 个元素中的前 %2 个</translation>
    </message>
    <message>
        <source>%1, 1 byte</source>
        <translation>%1，1 字节</translation>
    </message>
    <message>
        <source>%1, 1 element</source>
        <translation>%1，1 个元素</translation>
    </message>
    <message>
        <source>%1, %2 bytes</source>
        <translation>%1，%2 字节</translation>
    </message>
    <message>
        <source>%1, %2 elements</source>
        <translation>%1，%2 个元素</translation>
    </message>
    <message>
        <source>an unknown number</source>
        <comment>of bytes or elements</comment>
        <translation>数目不明</translation>
    </message>
    <message>
        <source>%1, all %2 bytes, read at %3</source>
        <translation>%1，全部 %2 字节，读取于 %3</translation>
    </message>
    <message>
        <source>%1, all %2 elements, read at %3</source>
        <translation>%1，全部 %2 个元素，读取于 %3</translation>
    </message>
    <message>
        <source>%1, nothing more, read at %2</source>
        <translation>%1，没有更多，读取于 %2</translation>
    </message>
    <message>
        <source>%1, bytes %2 to %3 of %4, read at %5</source>
        <translation>%1，%4 字节中的第 %2 至 %3 字节，读取于 %5</translation>
    </message>
    <message>
        <source>%1, elements %2 to %3 of %4, read at %5</source>
        <translation>%1，%4 个元素中的第 %2 至 %3 个，读取于 %5</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Member</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>分值</translation>
    </message>
    <message>
        <source>Entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>%1 (%2 bytes)</source>
        <comment>the beginning of what is long</comment>
        <translation>%1（%2 字节）</translation>
    </message>
    <message>
        <source>%1, not in the recording: only digests are stored</source>
        <translation>%1，录制时省略：只有摘要</translation>
    </message>
    <message>
        <source>The key did not exist at %1</source>
        <translation>%1 时没有这样的键</translation>
    </message>
    <message>
        <source>%1; its values cannot be displayed</source>
        <translation>%1，其值无法显示</translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>the duration %1 is too large</source>
        <translation>时长 %1 太大</translation>
    </message>
    <message>
        <source>%1 is not a duration; write it like 500ms, 5s or 2m</source>
        <translation>%1 不是时长；请写成 500ms、5s 或 2m 这样</translation>
    </message>
    <message>
        <source>the duration %1 lacks a unit; write %2ms or %2s</source>
        <translation>时长 %1 缺少单位；请写成 %2ms 或 %2s</translation>
    </message>
    <message>
        <source>the duration %1 is no whole number; write it in a smaller unit, as 1500ms</source>
        <translation>时长 %1 不是整数；请用更小的单位来写，如 1500ms</translation>
    </message>
    <message>
        <source>unknown unit &quot;%1&quot; in the duration %2; the units are ms, s, m, h and d</source>
        <translation>时长 %2 中有未知的单位“%1”；单位有 ms、s、m、h 和 d</translation>
    </message>
    <message>
        <source>%1 is not base64</source>
        <translation>%1 不是 base64</translation>
    </message>
    <message>
        <source>%1 is not a text</source>
        <translation>%1 不是文本</translation>
    </message>
    <message>
        <source>a lease must be longer than zero, not %1</source>
        <translation>租约必须大于零，不能是 %1</translation>
    </message>
    <message>
        <source>a lease of %1 is longer than a hundred years</source>
        <translation>租约 %1 超过一百年</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>a unit: its lifetimes travel in seconds</source>
        <translation>单位：它的生存时间以秒为单位传送</translation>
    </message>
    <message>
        <source>a unit: its lifetimes travel in milliseconds</source>
        <translation>单位：它的生存时间以毫秒为单位传送</translation>
    </message>
    <message>
        <source>writing only if the key is absent</source>
        <translation>仅在键不存在时写入</translation>
    </message>
    <message>
        <source>a guard</source>
        <translation>守卫锁</translation>
    </message>
    <message>
        <source>a wait cannot be negative</source>
        <translation>等待时间不能为负</translation>
    </message>
    <message>
        <source>a lifetime of %1 is not whole seconds, in which %2 counts</source>
        <translation>生存时间 %1 不是整秒，而 %2 以秒计</translation>
    </message>
    <message>
        <source>the unit s</source>
        <translation>单位 s</translation>
    </message>
    <message>
        <source>unknown recipe &quot;%1&quot;; there are %2</source>
        <translation>未知的方案“%1”；现有 %2</translation>
    </message>
    <message>
        <source>the recipe writes one value, and fields were given</source>
        <translation>该方案写入一个值，却给了字段</translation>
    </message>
    <message>
        <source>the recipe writes fields, and a single value was given</source>
        <translation>该方案写入字段，却只给了一个值</translation>
    </message>
    <message>
        <source>the key holds a %1, and the recipe writes a %2</source>
        <translation>该键存放的是 %1，而该方案写入的是 %2</translation>
    </message>
    <message>
        <source>Value with a guarded recomputation</source>
        <translation>带守卫重算的值</translation>
    </message>
    <message>
        <source>After a miss one client takes a token lock and recomputes; the others wait or are served the stale value.</source>
        <translation>未命中后，一个客户端取得令牌锁并重算；其他客户端等待，或得到旧值。</translation>
    </message>
    <message>
        <source>Hash with its lifetime, by script</source>
        <translation>哈希及其生存时间，用脚本</translation>
    </message>
    <message>
        <source>One script does HSET and PEXPIRE; on a key of another type it fails and changes nothing.</source>
        <translation>一个脚本执行 HSET 和 PEXPIRE；遇到其他类型的键就失败，什么也不改。</translation>
    </message>
    <message>
        <source>the server refused the transaction</source>
        <translation>服务器拒绝了该事务</translation>
    </message>
    <message>
        <source>the server refused the transaction, and the fields were written without a lifetime</source>
        <translation>服务器拒绝了该事务，字段已写入但没有生存时间</translation>
    </message>
    <message>
        <source>the server refused the transaction, and the fields and their lifetime were written one after the other</source>
        <translation>服务器拒绝了该事务，字段与其生存时间是先后写入的</translation>
    </message>
    <message>
        <source>the fields were written and are left without a lifetime</source>
        <translation>字段已写入，却一直没有生存时间</translation>
    </message>
    <message>
        <source>nothing was written, but what the key holds has been given a lifetime of %1</source>
        <translation>什么也没有写入，但键中原有的内容被给了 %1 的生存时间</translation>
    </message>
    <message>
        <source>Hash with its lifetime, as a transaction</source>
        <translation>哈希及其生存时间，用事务</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is the recipe&apos;s placeholder, and can be neither field nor value</source>
        <translation>“%1”是该方案的占位符，既不能作字段，也不能作值</translation>
    </message>
    <message>
        <source>Hash with a placeholder first</source>
        <translation>哈希，先写占位符</translation>
    </message>
    <message>
        <source>A placeholder gets the lifetime and the data follows, so that dying half way leaves no data.</source>
        <translation>占位符先得到生存时间，数据随后写入，所以中途死去不会留下数据。</translation>
    </message>
    <message>
        <source>Where the key expires between the steps, or a reader removes the placeholder there, writing the data makes it anew, without a lifetime.</source>
        <translation>如果该键在两步之间过期，或读者在那时删去了占位符，写入数据就会把它重新建立，而且没有生存时间。</translation>
    </message>
    <message>
        <source>the placeholder may have been left behind</source>
        <translation>占位符可能遗留了下来</translation>
    </message>
    <message>
        <source>Hash, then its lifetime</source>
        <translation>先写哈希，再设生存时间</translation>
    </message>
    <message>
        <source>HSET, then EXPIRE: hashes have no one command for both.</source>
        <translation>先 HSET 再 EXPIRE：对哈希来说没有一条命令能兼顾二者。</translation>
    </message>
    <message>
        <source>A client that dies between the two leaves fields that never expire.</source>
        <translation>在两步之间死去的客户端会留下永不过期的字段。</translation>
    </message>
    <message>
        <source>the data was written and may have been left without a lifetime</source>
        <translation>数据已写入，可能一直没有生存时间</translation>
    </message>
    <message>
        <source>the data was written and is left without a lifetime</source>
        <translation>数据已写入，却一直没有生存时间</translation>
    </message>
    <message>
        <source>Value with its lifetime, the older way</source>
        <translation>带生存时间的值，旧写法</translation>
    </message>
    <message>
        <source>SETEX or PSETEX: value and lifetime in one command, before SET had options.</source>
        <translation>SETEX 或 PSETEX：在 SET 有选项之前，用一条命令写入值和生存时间。</translation>
    </message>
    <message>
        <source>Value, then its lifetime</source>
        <translation>先写值，再设生存时间</translation>
    </message>
    <message>
        <source>SET, then EXPIRE or PEXPIRE: two commands for what should be one.</source>
        <translation>先 SET，再 EXPIRE 或 PEXPIRE：本该是一条命令，却用了两条。</translation>
    </message>
    <message>
        <source>A client that dies between the two leaves a value that never expires.</source>
        <translation>在两步之间死去的客户端会留下永不过期的值。</translation>
    </message>
    <message>
        <source>Value with its lifetime</source>
        <translation>带生存时间的值</translation>
    </message>
    <message>
        <source>SET with EX or PX: value and lifetime are set together or not at all.</source>
        <translation>带 EX 或 PX 的 SET：值和生存时间要么一起设置，要么都不设置。</translation>
    </message>
    <message>
        <source>not answered yet</source>
        <translation>尚未应答</translation>
    </message>
    <message>
        <source>not connected to %1</source>
        <translation>未连接到 %1</translation>
    </message>
    <message>
        <source>there was no time left to send the command</source>
        <translation>没有时间发送该命令了</translation>
    </message>
    <message>
        <source>at character %1: %2</source>
        <translation>第 %1 个字符处：%2</translation>
    </message>
    <message>
        <source>a time is missing; write it like 500ms, 5s or 2m</source>
        <translation>缺少时间；请写成 500ms、5s 或 2m 这样</translation>
    </message>
    <message>
        <source>%1 is before %2, so that no key can meet it</source>
        <translation>%1 早于 %2，所以没有键能满足它</translation>
    </message>
    <message>
        <source>the time must be longer than zero</source>
        <translation>时间必须大于零</translation>
    </message>
    <message>
        <source>a key and what is expected of it are missing</source>
        <translation>缺少键以及对它的期望</translation>
    </message>
    <message>
        <source>the key is missing</source>
        <translation>缺少键</translation>
    </message>
    <message>
        <source>%1: no expectation is in it</source>
        <translation>%1：其中没有期望</translation>
    </message>
    <message>
        <source>%1: there are %2 expectations, and at most %3 can be watched together</source>
        <translation>%1：有 %2 条期望，而最多可同时观察 %3 条</translation>
    </message>
    <message>
        <source>%1.%2 s</source>
        <translation>%1.%2 秒</translation>
    </message>
    <message>
        <source>after it was written</source>
        <translation>自写入之后</translation>
    </message>
    <message>
        <source>after the first look</source>
        <translation>自第一次查看之后</translation>
    </message>
    <message>
        <source>%1 %2, give or take %3 ms</source>
        <translation>%2 %1，误差 %3 毫秒</translation>
    </message>
    <message numerus="yes">
        <source>renewed %n times</source>
        <translation>
            <numerusform>续期 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, at most %2 apart</source>
        <translation>%1，间隔最多 %2</translation>
    </message>
    <message>
        <source>open</source>
        <translation>未定</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>成立</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>不成立</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>nothing has been seen yet</source>
        <translation>还什么也没看到</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>still there %1 %2</source>
        <translation>仍在：%2 %1</translation>
    </message>
    <message>
        <source>watched for only %1</source>
        <translation>只观察了 %1</translation>
    </message>
    <message>
        <source>there at the first look</source>
        <translation>第一次查看时已在</translation>
    </message>
    <message>
        <source>there for %1</source>
        <translation>存在了 %1</translation>
    </message>
    <message>
        <source>it was there before the first look, and has not been written since</source>
        <translation>它在第一次查看之前就在，此后没有再写入</translation>
    </message>
    <message>
        <source>not renewed yet</source>
        <translation>尚未续期</translation>
    </message>
    <message>
        <source>not renewed for %1</source>
        <translation>有 %1 没有续期</translation>
    </message>
    <message numerus="yes">
        <source>an expiry in each of %n looks</source>
        <translation>
            <numerusform>%n 次查看每次都有过期时间</numerusform>
        </translation>
    </message>
    <message>
        <source>without an expiry %1</source>
        <translation>%1 没有过期时间</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>released here</source>
        <translation>在此释放</translation>
    </message>
    <message>
        <source>deleted here</source>
        <translation>在此删除</translation>
    </message>
    <message>
        <source>held</source>
        <translation>持有中</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>released or deleted</source>
        <translation>已释放或删除</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>被淘汰</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>被清空</translation>
    </message>
    <message>
        <source>there before</source>
        <translation>之前就在</translation>
    </message>
    <message>
        <source>acquired</source>
        <translation>获取</translation>
    </message>
    <message>
        <source>taken over</source>
        <translation>接管</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>%1 之前</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>%1, of which %2 are over</source>
        <translation>%1，其中 %2 次已结束</translation>
    </message>
    <message>
        <source>Held for</source>
        <translation>持有时长</translation>
    </message>
    <message>
        <source>%1 on average, %2 at the longest</source>
        <translation>平均 %1，最长 %2</translation>
    </message>
    <message>
        <source>Lease used</source>
        <translation>租约用量</translation>
    </message>
    <message>
        <source>%1 on average</source>
        <translation>平均 %1</translation>
    </message>
    <message>
        <source>Contended</source>
        <translation>竞争</translation>
    </message>
    <message>
        <source>%1 of %2 (%3): taken by another within %4 of an end</source>
        <translation>%2 中的 %1（%3）：结束后 %4 内被别人占用</translation>
    </message>
    <message>
        <source>Taken over</source>
        <translation>接管</translation>
    </message>
    <message>
        <source>Extended</source>
        <translation>续期</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Seen late</source>
        <translation>看到的延迟</translation>
    </message>
    <message>
        <source>an end by expiry at most %1 after its deadline</source>
        <translation>因过期而结束，最多晚于截止时间 %1</translation>
    </message>
    <message>
        <source>%1 before its deadline</source>
        <translation>早于截止时间 %1</translation>
    </message>
    <message>
        <source>not seen for %1</source>
        <translation>有 %1 没看到</translation>
    </message>
    <message>
        <source>writing was disarmed before the answer came</source>
        <translation>在应答到来之前停用了写入</translation>
    </message>
    <message>
        <source>writing was disarmed before</source>
        <translation>之前停用了写入</translation>
    </message>
    <message>
        <source>how it is released is not known</source>
        <translation>不知道它如何释放</translation>
    </message>
    <message>
        <source>writing to %1 is not armed</source>
        <translation>未启用对 %1 的写入</translation>
    </message>
    <message>
        <source>the connection is closed</source>
        <translation>连接已关闭</translation>
    </message>
    <message>
        <source>%1 is not sent: writing is not armed, and it is not among what only reads</source>
        <translation>%1 未发送：未启用写入，而它不在只读命令之列</translation>
    </message>
    <message>
        <source>CLIENT ID is not allowed</source>
        <translation>不允许使用 CLIENT ID</translation>
    </message>
    <message>
        <source>the server&apos;s answer to SCAN is not one (%1)</source>
        <translation>服务器对 SCAN 的应答不成其为应答（%1）</translation>
    </message>
    <message>
        <source>cannot run %1: %2</source>
        <translation>无法运行 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>holds for all of %n keys</source>
        <translation>
            <numerusform>对全部 %n 个键成立</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>BROKEN: of %n keys %1 hold data and have no lifetime</source>
        <translation>
            <numerusform>被打破：%n 个键中有 %1 个存有数据却没有生存时间</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>BROKEN: of %n keys %1 are left without a lifetime</source>
        <translation>
            <numerusform>被打破：%n 个键中有 %1 个一直没有生存时间</numerusform>
        </translation>
    </message>
    <message>
        <source>a recipe is missing</source>
        <translation>缺少方案</translation>
    </message>
    <message>
        <source>the recipe %1 is there twice</source>
        <translation>方案 %1 出现了两次</translation>
    </message>
    <message>
        <source>%1 keys: there must be at least one, and at most %2 of all recipes together</source>
        <translation>%1 个键：至少要有一个，所有方案合计最多 %2 个</translation>
    </message>
    <message>
        <source>lifetimes from %1 to %2: the second is shorter</source>
        <translation>生存时间从 %1 到 %2：后者更短</translation>
    </message>
    <message>
        <source>a writer is killed after one command or more</source>
        <translation>写入者要在一条或更多命令之后才会被杀死</translation>
    </message>
    <message>
        <source>%1 % is no share</source>
        <translation>%1 % 不是有效的比例</translation>
    </message>
    <message>
        <source>the lease of %1 is too short for a server %2 away</source>
        <translation>租约 %1 对远在 %2 之外的服务器来说太短</translation>
    </message>
    <message>
        <source>Lock with automatic release</source>
        <translation>自动释放的锁</translation>
    </message>
    <message>
        <source>SET with NX and an expiry: the server frees the lock when the lease runs out.</source>
        <translation>带 NX 和过期时间的 SET：租约到期时由服务器释放锁。</translation>
    </message>
    <message>
        <source>Basic lock</source>
        <translation>基本锁</translation>
    </message>
    <message>
        <source>SET with NX: exactly one client wins, and DEL frees the lock.</source>
        <translation>带 NX 的 SET：恰好有一个客户端赢得，DEL 释放锁。</translation>
    </message>
    <message>
        <source>A holder that dies keeps the lock for ever.</source>
        <translation>死去的持有者会永远占着锁。</translation>
    </message>
    <message>
        <source>a lease: its locks do not expire</source>
        <translation>租约：它的锁不会过期</translation>
    </message>
    <message>
        <source>a unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>more than one server</source>
        <translation>多于一台服务器</translation>
    </message>
    <message>
        <source>a token of your own: its locks hold their deadline</source>
        <translation>您自己的令牌：它的锁存放的是截止时间</translation>
    </message>
    <message>
        <source>a token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>a value: its locks hold a token</source>
        <translation>值：它的锁存放的是令牌</translation>
    </message>
    <message>
        <source>a value: its locks hold their deadline</source>
        <translation>值：它的锁存放的是截止时间</translation>
    </message>
    <message>
        <source>an empty token protects nothing</source>
        <translation>空令牌什么也保护不了</translation>
    </message>
    <message>
        <source>a lease of %1 is not whole seconds</source>
        <translation>租约 %1 不是整秒</translation>
    </message>
    <message>
        <source>a lease of %1 is not whole seconds; use the unit ms</source>
        <translation>租约 %1 不是整秒；请用单位 ms</translation>
    </message>
    <message>
        <source>Lock with fencing numbers</source>
        <translation>带栅栏编号的锁</translation>
    </message>
    <message>
        <source>Each acquisition gets a larger number; a resource that refuses a smaller one than it has seen is safe from a holder that slept past its lease.</source>
        <translation>每次获取都得到更大的编号；资源若拒绝比见过的更小的编号，就不怕睡过了租约的持有者。</translation>
    </message>
    <message>
        <source>the counter &quot;%1&quot;</source>
        <translation>计数器“%1”</translation>
    </message>
    <message>
        <source>the key holds a %1, which is not a lock</source>
        <translation>该键存放的是 %1，不是锁</translation>
    </message>
    <message>
        <source>this recipe cannot extend a lock</source>
        <translation>此方案不能为锁续期</translation>
    </message>
    <message>
        <source>SETNX and EXPIRE in a script</source>
        <translation>脚本中的 SETNX 和 EXPIRE</translation>
    </message>
    <message>
        <source>One script: SETNX, and the expiry only if it won; before Redis 2.6.12 the way to give a lock its lease.</source>
        <translation>一个脚本：SETNX，赢得时才设过期时间；在 Redis 2.6.12 之前，这是给锁加租约的办法。</translation>
    </message>
    <message>
        <source>SETNX and EXPIRE in a transaction</source>
        <translation>事务中的 SETNX 和 EXPIRE</translation>
    </message>
    <message>
        <source>MULTI, SETNX, EXPIRE, EXEC: lock and lease together, no matter who dies.</source>
        <translation>MULTI、SETNX、EXPIRE、EXEC：锁与租约一起设置，不管谁死去。</translation>
    </message>
    <message>
        <source>Every losing client gives the winner&apos;s lock its own lease: a longer one keeps a dead holder&apos;s lock alive, and a shorter one ends a living holder&apos;s early, so that two are inside without any fault.</source>
        <translation>每个失败的客户端都会把自己的租约加给赢家的锁：较长的让已死持有者的锁一直活着，较短的让活着的持有者的锁提前结束，于是没有任何故障也会有两个同时在临界区内。</translation>
    </message>
    <message>
        <source>Redlock, on several servers</source>
        <translation>Redlock，用多台服务器</translation>
    </message>
    <message>
        <source>The token lock on N independent servers, won on a majority: it survives the loss of a minority of them.</source>
        <translation>N 台独立服务器上的令牌锁，在多数上赢得：少数服务器丢失也不影响。</translation>
    </message>
    <message>
        <source>only %1 of %2 servers answered, fewer than the %3 that decide; %4</source>
        <translation>%2 台服务器中只有 %1 台应答，少于作出决定所需的 %3 台；%4</translation>
    </message>
    <message>
        <source>Lock that its holder keeps renewing</source>
        <translation>持有者不断续期的锁</translation>
    </message>
    <message>
        <source>A token lock extended at a third of its lease while its holder lives: a short lease for long work.</source>
        <translation>持有者活着时，每过租约的三分之一就续期的令牌锁：长工作用短租约。</translation>
    </message>
    <message>
        <source>Basic lock, historical form</source>
        <translation>基本锁，历史写法</translation>
    </message>
    <message>
        <source>SETNX: the basic lock from before SET had options.</source>
        <translation>SETNX：SET 有选项之前的基本锁。</translation>
    </message>
    <message>
        <source>SETNX, then EXPIRE</source>
        <translation>先 SETNX，再 EXPIRE</translation>
    </message>
    <message>
        <source>Two commands: the first makes the lock, the second gives it its lease.</source>
        <translation>两条命令：第一条建立锁，第二条给它租约。</translation>
    </message>
    <message>
        <source>A client that dies between the two leaves a lock for ever.</source>
        <translation>在两步之间死去的客户端会留下永远存在的锁。</translation>
    </message>
    <message>
        <source>Deadline in the value, with GETSET</source>
        <translation>值中的截止时间，用 GETSET</translation>
    </message>
    <message>
        <source>It excludes only where all clients ask for the same lease and agree on the time: a loser writes its own deadline over the winner&apos;s, and with a shorter lease ends the winner&apos;s early, so that two are inside; and a late DEL can still hit another&apos;s lock.</source>
        <translation>只有当所有客户端要求同样的租约、且时钟一致时才互斥：失败者会把自己的截止时间写到赢家的上面，租约较短时会让赢家的提前结束，于是两个同时在临界区内；迟到的 DEL 也仍可能删到别人的锁。</translation>
    </message>
    <message>
        <source>the token &quot;%1&quot; is not a deadline in Unix seconds, as acquire gives it</source>
        <translation>令牌“%1”不是 acquire 所给出的、以 Unix 秒计的截止时间</translation>
    </message>
    <message>
        <source>Deadline in the value, naive</source>
        <translation>值中的截止时间，朴素写法</translation>
    </message>
    <message>
        <source>The lock holds its deadline; a client that sees a past one deletes the lock and tries again.</source>
        <translation>锁中存放其截止时间；看到它已过的客户端删除锁并重试。</translation>
    </message>
    <message>
        <source>Two clients can see the same past deadline; the second then deletes the first one&apos;s new lock, and both are inside.</source>
        <translation>两个客户端可能看到同一个已过的截止时间；后一个随即删除前一个的新锁，两个就同时在临界区内。</translation>
    </message>
    <message>
        <source>Password-protected lock</source>
        <translation>有口令保护的锁</translation>
    </message>
    <message>
        <source>The value is a secret token; one script compares it and deletes, so only the holder releases.</source>
        <translation>值是一个秘密令牌；用一个脚本比较后删除，所以只有持有者能释放。</translation>
    </message>
    <message>
        <source>Token, checked and then deleted</source>
        <translation>先检查令牌，再删除</translation>
    </message>
    <message>
        <source>The value is a token; release reads it, compares, and deletes.</source>
        <translation>值是令牌；释放时读取、比较、再删除。</translation>
    </message>
    <message>
        <source>Between the check and the delete the lease can end and the lock change hands.</source>
        <translation>在检查与删除之间，租约可能结束，锁可能易手。</translation>
    </message>
    <message>
        <source>Token, released by optimistic locking</source>
        <translation>令牌，用乐观锁释放</translation>
    </message>
    <message>
        <source>WATCH, GET, MULTI, DEL, EXEC: the delete happens only if nothing has changed since the check, without a script.</source>
        <translation>WATCH、GET、MULTI、DEL、EXEC：只有自检查以来没有任何变化时才删除，不用脚本。</translation>
    </message>
    <message numerus="yes">
        <source>the lock changed %n times while it was to be released</source>
        <translation>
            <numerusform>释放它的过程中锁变化了 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>the key &quot;%1&quot; holds &quot;%2&quot;, which is not a deadline in Unix seconds</source>
        <translation>键“%1”存放的是“%2”，不是以 Unix 秒计的截止时间</translation>
    </message>
    <message>
        <source>it holds a lock already</source>
        <translation>它已经持有一把锁</translation>
    </message>
    <message>
        <source>it holds no lock</source>
        <translation>它没有持有锁</translation>
    </message>
    <message>
        <source>it has no server %1</source>
        <translation>它没有服务器 %1</translation>
    </message>
    <message>
        <source>the line is not JSON: %1 at byte %2</source>
        <translation>该行不是 JSON：第 %2 字节处 %1</translation>
    </message>
    <message>
        <source>the line is not a JSON object</source>
        <translation>该行不是 JSON 对象</translation>
    </message>
    <message>
        <source>%1 is not a whole number</source>
        <translation>%1 不是整数</translation>
    </message>
    <message>
        <source>acquire needs a recipe and a key</source>
        <translation>acquire 需要方案和键</translation>
    </message>
    <message>
        <source>unknown unit &quot;%1&quot;; the units of a lease are s and ms</source>
        <translation>未知的单位“%1”；租约的单位是 s 和 ms</translation>
    </message>
    <message>
        <source>extend needs lease_ms</source>
        <translation>extend 需要 lease_ms</translation>
    </message>
    <message>
        <source>unknown event &quot;%1&quot;</source>
        <translation>未知的事件“%1”</translation>
    </message>
    <message>
        <source>a report cannot be read: %1</source>
        <translation>无法读取报告：%1</translation>
    </message>
    <message>
        <source>client %1</source>
        <translation>客户端 %1</translation>
    </message>
    <message>
        <source>a field needs a name and a value</source>
        <translation>字段需要名称和值</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>缺少 %1</translation>
    </message>
    <message>
        <source>%1 is less than zero</source>
        <translation>%1 小于零</translation>
    </message>
    <message>
        <source>send needs words, and a server from 0</source>
        <translation>send 需要 words，以及从 0 起的服务器编号</translation>
    </message>
    <message>
        <source>unknown promise &quot;%1&quot;; there are %2</source>
        <translation>未知的保证“%1”；现有 %2</translation>
    </message>
    <message>
        <source>a replay on a real server went differently than the search worked out: %1</source>
        <translation>在真实服务器上的重放与搜索推算的结果不同：%1</translation>
    </message>
    <message>
        <source>other keys after %1</source>
        <translation>%1 之后的其他键</translation>
    </message>
    <message>
        <source>the preparation</source>
        <translation>准备工作</translation>
    </message>
    <message>
        <source>%1 clients cannot be explored; choose 1 to %2</source>
        <translation>无法探索 %1 个客户端；请选择 1 到 %2</translation>
    </message>
    <message>
        <source>the race finder&apos;s server does not say what it holds: %1</source>
        <translation>竞态查找器的服务器没有说明它存放了什么：%1</translation>
    </message>
    <message>
        <source>the locks need a name</source>
        <translation>这些锁需要一个名称</translation>
    </message>
    <message>
        <source>the keys&apos; names need three characters in a row that are always the same</source>
        <translation>键名需要有三个连续的、始终相同的字符</translation>
    </message>
    <message>
        <source>the field needs a name that is text</source>
        <translation>该字段需要一个文本名称</translation>
    </message>
    <message>
        <source>the command could not be sent in time</source>
        <translation>未能及时发送该命令</translation>
    </message>
    <message>
        <source>the connection was lost (%1)</source>
        <translation>连接已断开（%1）</translation>
    </message>
    <message>
        <source>the server&apos;s reply cannot be parsed: %1</source>
        <translation>无法解析服务器的应答：%1</translation>
    </message>
    <message>
        <source>%1: the connection was closed</source>
        <translation>%1：连接已关闭</translation>
    </message>
    <message>
        <source>the connection ended</source>
        <translation>连接已结束</translation>
    </message>
    <message>
        <source>%1: the connection was lost (%2)</source>
        <translation>%1：连接已断开（%2）</translation>
    </message>
    <message>
        <source>%1: no answer within %2</source>
        <translation>%1：%2 之内没有应答</translation>
    </message>
    <message>
        <source>cannot connect to %1: %2</source>
        <translation>无法连接到 %1：%2</translation>
    </message>
    <message>
        <source>the server closed the connection</source>
        <translation>服务器关闭了连接</translation>
    </message>
    <message>
        <source>there is no such socket</source>
        <translation>没有这样的套接字</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>no answer within %1</source>
        <translation>%1 之内没有应答</translation>
    </message>
    <message>
        <source>the URL &quot;%1&quot; %2</source>
        <translation>URL“%1”%2</translation>
    </message>
    <message>
        <source>lacks a scheme: redis://, rediss:// or unix://</source>
        <translation>缺少协议：redis://、rediss:// 或 unix://</translation>
    </message>
    <message>
        <source>lacks a scheme: write %1</source>
        <translation>缺少协议：请写 %1</translation>
    </message>
    <message>
        <source>names the database &quot;%1&quot;, which is not a number from 0 on</source>
        <translation>指定的数据库是“%1”，不是从 0 起的编号</translation>
    </message>
    <message>
        <source>needs three slashes before the socket&apos;s path, as in unix:///run/redis.sock</source>
        <translation>在套接字路径前需要三个斜杠，如 unix:///run/redis.sock</translation>
    </message>
    <message>
        <source>lacks the path of the socket, as in unix:///run/redis.sock</source>
        <translation>缺少套接字的路径，如 unix:///run/redis.sock</translation>
    </message>
    <message>
        <source>names a socket path longer than the %1 bytes that the system allows</source>
        <translation>指定的套接字路径超过系统允许的 %1 字节</translation>
    </message>
    <message>
        <source>lacks a host, as in redis://127.0.0.1:6379</source>
        <translation>缺少主机，如 redis://127.0.0.1:6379</translation>
    </message>
    <message>
        <source>names port 0; ports go from 1 to 65535</source>
        <translation>指定了端口 0；端口从 1 到 65535</translation>
    </message>
    <message>
        <source>the URL is empty; write it like redis://127.0.0.1:6379</source>
        <translation>URL 是空的；请写成 redis://127.0.0.1:6379 这样</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>has a part behind &quot;#&quot;; write %1 where a password holds that character</source>
        <translation>在“#”之后还有内容；密码中含有该字符时请写 %1</translation>
    </message>
    <message>
        <source>no answer to the TLS handshake within %1, as from a port that does not speak TLS: such a URL begins with redis://</source>
        <translation>在 %1 之内没有回应 TLS 握手，不使用 TLS 的端口会这样：这种 URL 以 redis:// 开头</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not the key of &quot;%2&quot;</source>
        <translation>“%1”不是“%2”的私钥</translation>
    </message>
    <message>
        <source>the password for %1 is given twice and differs: in %2 and in %3</source>
        <translation>%1 的密码给了两次且不相同：在%2和%3中</translation>
    </message>
    <message>
        <source>the URL</source>
        <translation>URL</translation>
    </message>
    <message>
        <source>%1 MiB</source>
        <translation>%1 MiB</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>the server sent a line larger than %1: not read</source>
        <translation>服务器发来一行大于 %1 的内容：未读取</translation>
    </message>
    <message>
        <source>the server sent an answer larger than %1: not read</source>
        <translation>服务器发来大于 %1 的应答：未读取</translation>
    </message>
    <message>
        <source>the server sent bytes that are not RESP2 (&quot;%1&quot;)</source>
        <translation>服务器发来的字节不是 RESP2（“%1”）</translation>
    </message>
    <message>
        <source>this is not a Redis server (it answers %1)</source>
        <translation>这不是 Redis 服务器（它的应答是 %1）</translation>
    </message>
    <message>
        <source>this is not a Redis server (it answers &quot;%1&quot;)</source>
        <translation>这不是 Redis 服务器（它的应答是“%1”）</translation>
    </message>
    <message>
        <source>the server sent a value of %1 bytes, larger than %2: not read</source>
        <translation>服务器发来 %1 字节的值，大于 %2：未读取</translation>
    </message>
    <message>
        <source>the server sent an array of %1 elements, larger than %2: not read</source>
        <translation>服务器发来 %1 个元素的数组，大于 %2：未读取</translation>
    </message>
    <message>
        <source>the server sent arrays nested deeper than %1</source>
        <translation>服务器发来的数组嵌套深于 %1</translation>
    </message>
    <message>
        <source>the server wants a password</source>
        <translation>服务器需要密码</translation>
    </message>
    <message>
        <source>the server refused the user name or password</source>
        <translation>服务器拒绝了用户名或密码</translation>
    </message>
    <message>
        <source>the server&apos;s ACL does not permit this user to do that</source>
        <translation>服务器的 ACL 不允许此用户这样做</translation>
    </message>
    <message>
        <source>the server is in protected mode and serves only its own machine</source>
        <translation>服务器处于保护模式，只为本机服务</translation>
    </message>
    <message>
        <source>the key holds a value of another type</source>
        <translation>该键存放的是另一类型的值</translation>
    </message>
    <message>
        <source>the server is a read-only replica</source>
        <translation>服务器是只读副本</translation>
    </message>
    <message>
        <source>the server has reached its memory limit</source>
        <translation>服务器已达到内存上限</translation>
    </message>
    <message>
        <source>the server is still loading its data</source>
        <translation>服务器仍在加载数据</translation>
    </message>
    <message>
        <source>the server is busy with a script</source>
        <translation>服务器正忙于执行脚本</translation>
    </message>
    <message>
        <source>the server cannot save its data and refuses writes</source>
        <translation>服务器无法保存数据，因而拒绝写入</translation>
    </message>
    <message>
        <source>the server is a replica that has lost its master</source>
        <translation>服务器是副本，已与主节点失去联系</translation>
    </message>
    <message>
        <source>the server has too few replicas to accept writes</source>
        <translation>服务器的副本太少，不接受写入</translation>
    </message>
    <message>
        <source>the server does not know the script</source>
        <translation>服务器不知道该脚本</translation>
    </message>
    <message>
        <source>the server is a cluster node and another node serves this key</source>
        <translation>服务器是集群节点，这个键由另一节点负责</translation>
    </message>
    <message>
        <source>the server is a cluster node and the key is moving to another node</source>
        <translation>服务器是集群节点，该键正移往另一节点</translation>
    </message>
    <message>
        <source>the server is a cluster node and the keys are in different slots</source>
        <translation>服务器是集群节点，这些键在不同的槽中</translation>
    </message>
    <message>
        <source>the server&apos;s cluster is down</source>
        <translation>服务器所在的集群已下线</translation>
    </message>
    <message>
        <source>the server&apos;s cluster is moving these keys</source>
        <translation>服务器所在的集群正在移动这些键</translation>
    </message>
    <message>
        <source>the server does not know the command</source>
        <translation>服务器不知道该命令</translation>
    </message>
    <message>
        <source>the server has no room for another client</source>
        <translation>服务器容不下更多客户端</translation>
    </message>
    <message>
        <source>the server refused the password</source>
        <translation>服务器拒绝了密码</translation>
    </message>
    <message>
        <source>the server has no password, yet one was given</source>
        <translation>服务器没有密码，却给了一个</translation>
    </message>
    <message>
        <source>the server answered &quot;%1&quot;</source>
        <translation>服务器应答“%1”</translation>
    </message>
    <message>
        <source>%1 (&quot;%2&quot;)</source>
        <translation>%1（“%2”）</translation>
    </message>
    <message>
        <source>&quot;%1&quot; holds no certificate in PEM</source>
        <translation>“%1”中没有 PEM 格式的证书</translation>
    </message>
    <message>
        <source>the key in &quot;%1&quot; needs a passphrase, which Latchkey does not ask for; write it without one (openssl pkey) where only you can read it</source>
        <translation>“%1”中的私钥需要口令，而 Latchkey 不会询问；请把它不带口令地（openssl pkey）写在只有您能读到的地方</translation>
    </message>
    <message>
        <source>&quot;%1&quot; holds no private key in PEM</source>
        <translation>“%1”中没有 PEM 格式的私钥</translation>
    </message>
    <message>
        <source>its certificate ended on %1</source>
        <translation>它的证书已于 %1 到期</translation>
    </message>
    <message>
        <source>its certificate is not valid before %1</source>
        <translation>它的证书在 %1 之前无效</translation>
    </message>
    <message>
        <source>its certificate is another server&apos;s: it is not for %1</source>
        <translation>它的证书属于另一台服务器：不是给 %1 的</translation>
    </message>
    <message>
        <source>its certificate cannot be trusted: %1</source>
        <translation>它的证书不可信：%1</translation>
    </message>
    <message>
        <source>it speaks no version of TLS from 1.2 on</source>
        <translation>它不支持 1.2 及以上的任何 TLS 版本</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no SHA-256 fingerprint: that is 64 hexadecimal digits</source>
        <translation>“%1”不是 SHA-256 指纹：应为 64 位十六进制数字</translation>
    </message>
    <message>
        <source>a certificate and its key are given together, or not at all</source>
        <translation>证书和它的私钥要么一起给出，要么都不给</translation>
    </message>
    <message>
        <source>what answers there does not speak TLS</source>
        <translation>那里应答的不使用 TLS</translation>
    </message>
    <message>
        <source>%1 has started</source>
        <translation>%1 已启动</translation>
    </message>
    <message>
        <source>%1 has crashed</source>
        <translation>%1 崩溃了</translation>
    </message>
    <message>
        <source>%1 has lost the lock</source>
        <translation>%1 失去了锁</translation>
    </message>
    <message>
        <source>%1 has lost the lock: %2</source>
        <translation>%1 失去了锁：%2</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>已崩溃</translation>
    </message>
    <message>
        <source>lock lost</source>
        <translation>失去锁</translation>
    </message>
    <message>
        <source>write refused</source>
        <translation>写入被拒绝</translation>
    </message>
    <message>
        <source>%1 and %2 both believe that they hold %3</source>
        <translation>%1 和 %2 都以为自己持有 %3</translation>
    </message>
    <message numerus="yes">
        <source>%n clients believe that they hold %1: %2</source>
        <translation>
            <numerusform>有 %n 个客户端都以为自己持有 %1：%2</numerusform>
        </translation>
    </message>
    <message>
        <source>the private server has ended</source>
        <translation>私有服务器已结束</translation>
    </message>
    <message>
        <source>it ended at once</source>
        <translation>它立即结束了</translation>
    </message>
    <message>
        <source>LATCHKEY_REDIS_SERVER names &quot;%1&quot;, which is not a program</source>
        <translation>LATCHKEY_REDIS_SERVER 指定了“%1”，它不是程序</translation>
    </message>
    <message>
        <source>there is no redis-server on this machine; on Debian the package redis-tools has one</source>
        <translation>这台机器上没有 redis-server；Debian 的软件包 redis-tools 中有</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>它没有应答</translation>
    </message>
    <message>
        <source>cannot make a link in %1</source>
        <translation>无法在 %1 中建立链接</translation>
    </message>
    <message>
        <source>cannot start a private server: cannot run %1 (%2)</source>
        <translation>无法启动私有服务器：无法运行 %1（%2）</translation>
    </message>
    <message>
        <source>cannot start a private server: %1</source>
        <translation>无法启动私有服务器：%1</translation>
    </message>
    <message>
        <source>cannot start a private server: %1 (%2)</source>
        <translation>无法启动私有服务器：%1（%2）</translation>
    </message>
    <message>
        <source>cannot make a folder in %1: %2</source>
        <translation>无法在 %1 中创建文件夹：%2</translation>
    </message>
    <message>
        <source>cannot lock the folder %1</source>
        <translation>无法锁定文件夹 %1</translation>
    </message>
    <message>
        <source>%1 is not there to be told anything</source>
        <translation>%1 不在，无法给它指令</translation>
    </message>
    <message>
        <source>%1 holds a lock already</source>
        <translation>%1 已经持有一把锁</translation>
    </message>
    <message>
        <source>%1 does not believe that it holds a lock</source>
        <translation>%1 并不认为自己持有锁</translation>
    </message>
    <message>
        <source>the memory of a server cannot be limited: %1</source>
        <translation>无法限制服务器的内存：%1</translation>
    </message>
    <message>
        <source>server %1 has been killed</source>
        <translation>服务器 %1 已被杀死</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>没有值</translation>
    </message>
    <message>
        <source>unanswered</source>
        <translation>未应答</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 does not believe that it holds the lock</source>
        <translation>%1 并不认为自己持有锁</translation>
    </message>
    <message>
        <source>%1 believes that it holds the lock</source>
        <translation>%1 以为自己持有锁</translation>
    </message>
    <message>
        <source>not be there</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>be there</source>
        <translation>存在</translation>
    </message>
    <message>
        <source>have a lifetime</source>
        <translation>有生存时间</translation>
    </message>
    <message>
        <source>have none</source>
        <translation>没有生存时间</translation>
    </message>
    <message>
        <source>hold %1</source>
        <translation>存放 %1</translation>
    </message>
    <message>
        <source>have at least %1 left</source>
        <translation>至少还剩 %1</translation>
    </message>
    <message>
        <source>have at most %1 left</source>
        <translation>最多还剩 %1</translation>
    </message>
    <message>
        <source>hold the token of %1</source>
        <translation>存放 %1 的令牌</translation>
    </message>
    <message>
        <source>is not there</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>%1 ms left</source>
        <translation>还剩 %1 毫秒</translation>
    </message>
    <message>
        <source>no lifetime</source>
        <translation>没有生存时间</translation>
    </message>
    <message>
        <source>holds %1, with %2</source>
        <translation>存放 %1，%2</translation>
    </message>
    <message>
        <source>the key %1 has no lifetime that could end</source>
        <translation>键 %1 没有可以结束的生存时间</translation>
    </message>
    <message>
        <source>%1 could not do it: %2</source>
        <translation>%1 未能做到：%2</translation>
    </message>
    <message>
        <source>missing, and the story has no key of its own</source>
        <translation>缺失，而故事没有自己的键</translation>
    </message>
    <message>
        <source>missing, and neither the alternative nor the story has one</source>
        <translation>缺失，而可选方案和故事都没有</translation>
    </message>
    <message>
        <source>one of gone, passed and answer_after has to name a key</source>
        <translation>gone、passed 和 answer_after 之一必须指明一个键</translation>
    </message>
    <message>
        <source>a step does one thing, and this one has %1 already</source>
        <translation>一步只做一件事，而这一步已经有 %1</translation>
    </message>
    <message>
        <source>only a command is sent to a server of its own</source>
        <translation>只有命令才能发往单独指定的服务器</translation>
    </message>
    <message>
        <source>which client?</source>
        <translation>哪个客户端？</translation>
    </message>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空的</translation>
    </message>
    <message>
        <source>more than %1 clients</source>
        <translation>超过 %1 个客户端</translation>
    </message>
    <message>
        <source>more than %1 steps</source>
        <translation>超过 %1 步</translation>
    </message>
    <message>
        <source>every alternative needs a name of its own</source>
        <translation>每个可选方案都需要自己的名称</translation>
    </message>
    <message>
        <source>the story is of version %1, this program reads version %2</source>
        <translation>故事的版本是 %1，本程序能读版本 %2</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1，为期 %2</translation>
    </message>
    <message>
        <source>acquires %1 by %2</source>
        <translation>用 %2 获取 %1</translation>
    </message>
    <message>
        <source>releases its lock</source>
        <translation>释放它的锁</translation>
    </message>
    <message>
        <source>extends its lease</source>
        <translation>为它的租约续期</translation>
    </message>
    <message>
        <source>writes %1 by %2</source>
        <translation>用 %2 写入 %1</translation>
    </message>
    <message>
        <source>reads %1 by %2</source>
        <translation>用 %2 读取 %1</translation>
    </message>
    <message>
        <source>sends %1</source>
        <translation>发送 %1</translation>
    </message>
    <message>
        <source>writes to the resource</source>
        <translation>写入资源</translation>
    </message>
    <message>
        <source>is killed (SIGKILL)</source>
        <translation>被杀死（SIGKILL）</translation>
    </message>
    <message>
        <source>waits for its answer</source>
        <translation>等待应答</translation>
    </message>
    <message>
        <source>finds out that it has lost its lock</source>
        <translation>发现自己失去了锁</translation>
    </message>
    <message>
        <source>the deadline in %1 passes</source>
        <translation>%1 中的截止时间已过</translation>
    </message>
    <message>
        <source>%1 of work</source>
        <translation>工作 %1</translation>
    </message>
    <message>
        <source>server %1 is killed</source>
        <translation>服务器 %1 被杀死</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>there is no such member here, only %1</source>
        <translation>这里没有这样的成员，只有 %1</translation>
    </message>
    <message>
        <source>not an object</source>
        <translation>不是对象</translation>
    </message>
    <message>
        <source>not an array</source>
        <translation>不是数组</translation>
    </message>
    <message>
        <source>not a text</source>
        <translation>不是文本</translation>
    </message>
    <message>
        <source>holds control characters</source>
        <translation>含有控制字符</translation>
    </message>
    <message>
        <source>neither a text nor base64</source>
        <translation>既不是文本也不是 base64</translation>
    </message>
    <message>
        <source>neither true nor false</source>
        <translation>既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>not a whole number</source>
        <translation>不是整数</translation>
    </message>
    <message>
        <source>%1 is not from %2 to %3</source>
        <translation>%1 不在 %2 到 %3 之间</translation>
    </message>
    <message>
        <source>less than zero</source>
        <translation>小于零</translation>
    </message>
    <message>
        <source>an empty command</source>
        <translation>空命令</translation>
    </message>
    <message>
        <source>the script %1 cannot be loaded: %2</source>
        <translation>无法加载脚本 %1：%2</translation>
    </message>
    <message>
        <source>the key %1 is not there, so its lifetime cannot end</source>
        <translation>键 %1 不存在，所以它的生存时间无法结束</translation>
    </message>
    <message>
        <source>%1 cannot be part of a story: after it, replies do not answer commands one by one</source>
        <translation>%1 不能是故事的一部分：在它之后，应答不再逐条对应命令</translation>
    </message>
    <message>
        <source>more than one of command, fault and does</source>
        <translation>command、fault 和 does 不止一个</translation>
    </message>
    <message>
        <source>not JSON: %1, at byte %2</source>
        <translation>不是 JSON：第 %2 字节处 %1</translation>
    </message>
    <message>
        <source>the key is empty.</source>
        <translation>键是空的。</translation>
    </message>
    <message>
        <source>the picture would be %1 pixels high, and may be %2; save it as SVG</source>
        <translation>图片将有 %1 像素高，而上限是 %2；请存为 SVG</translation>
    </message>
    <message>
        <source>there is not enough memory for the picture</source>
        <translation>内存不足以生成图片</translation>
    </message>
    <message>
        <source>cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>that time has passed</source>
        <translation>该时间已经过去</translation>
    </message>
    <message>
        <source>cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>a recording holds no more than what was read</source>
        <translation>录制中只有当时读取过的内容</translation>
    </message>
    <message>
        <source>the reply got lost on its way</source>
        <translation>应答在途中丢失</translation>
    </message>
    <message>
        <source>it is not JSON: %1 (at byte %2)</source>
        <translation>它不是 JSON：%1（第 %2 字节处）</translation>
    </message>
    <message>
        <source>it is not a JSON object</source>
        <translation>它不是 JSON 对象</translation>
    </message>
    <message>
        <source>it is not a recording of Latchkey</source>
        <translation>它不是 Latchkey 的录制文件</translation>
    </message>
    <message>
        <source>it was written by a newer version of Latchkey (%1), and has the format %2</source>
        <translation>它由较新版本的 Latchkey（%1）写成，格式为 %2</translation>
    </message>
    <message>
        <source>it has a format that there never was</source>
        <translation>它的格式从未有过</translation>
    </message>
    <message>
        <source>line %1, at byte %2: %3</source>
        <translation>第 %1 行，第 %2 字节处：%3</translation>
    </message>
    <message>
        <source>it is empty, and so no recording</source>
        <translation>它是空的，所以不是录制文件</translation>
    </message>
    <message>
        <source>it is cut off before anything was recorded</source>
        <translation>它在录下任何内容之前就中断了</translation>
    </message>
    <message>
        <source>it is longer than any line of a recording; what came before it is shown</source>
        <translation>它比录制文件中的任何一行都长；只显示在它之前的内容</translation>
    </message>
    <message>
        <source>the recording is cut off here; what came before it is shown</source>
        <translation>录制在此中断；只显示在此之前的内容</translation>
    </message>
    <message>
        <source>%1; what came before it is shown</source>
        <translation>%1；只显示在它之前的内容</translation>
    </message>
    <message>
        <source>%1: it is there already, and is not replaced</source>
        <translation>%1：已经存在，不会替换</translation>
    </message>
    <message>
        <source>the recording cannot be written: %1</source>
        <translation>无法写入录制文件：%1</translation>
    </message>
    <message>
        <source>names both ssh and a proxy; the way of ssh through a proxy is for its own configuration (ProxyCommand)</source>
        <translation>同时写明了 ssh 和代理；ssh 如何经过代理，由它自己的配置决定（ProxyCommand）</translation>
    </message>
    <message>
        <source>the proxy %1 cannot reach %2: %3</source>
        <translation>代理 %1 无法到达 %2：%3</translation>
    </message>
    <message>
        <source>the proxy &quot;%1&quot; cannot be read; write it like socks5://host:1080 or http://user:password@host:3128</source>
        <translation>看不懂代理“%1”；请写成 socks5://host:1080 或 http://user:password@host:3128 这样</translation>
    </message>
    <message>
        <source>%1: the lease of %2 has ended</source>
        <translation>%1：%2 的租约已结束</translation>
    </message>
    <message>
        <source>killed</source>
        <translation>被杀死</translation>
    </message>
    <message>
        <source>started, empty</source>
        <translation>已启动，空无一物</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>被冻结</translation>
    </message>
    <message>
        <source>lease ended</source>
        <translation>租约结束</translation>
    </message>
    <message>
        <source>%1: &quot;%2&quot; is not a number from 0 to %3</source>
        <translation>%1：“%2”不是 0 到 %3 之间的数字</translation>
    </message>
    <message>
        <source>%1 needs a value</source>
        <translation>%1 需要一个值</translation>
    </message>
    <message>
        <source>%1 is no file of servers: it is not in INI format</source>
        <translation>%1 不是服务器文件：它不是 INI 格式</translation>
    </message>
    <message>
        <source>the server has no name</source>
        <translation>该服务器没有名称</translation>
    </message>
    <message>
        <source>there is no file %1</source>
        <translation>没有文件 %1</translation>
    </message>
    <message>
        <source>%1 holds no server</source>
        <translation>%1 中没有服务器</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no host for ssh; write it like [user@]host[:port]</source>
        <translation>“%1”不是 ssh 的主机；请写成 [user@]host[:port] 这样</translation>
    </message>
    <message>
        <source>%1 does not let ssh in: no key or password was accepted (it takes: %2); try it with ssh alone</source>
        <translation>%1 不让 ssh 登录：没有密钥或密码被接受（它接受：%2）；请单独用 ssh 试一试</translation>
    </message>
    <message>
        <source>%1 does not let ssh in after so many keys; name the right one in the configuration of ssh (IdentityFile, IdentitiesOnly)</source>
        <translation>试过太多密钥之后，%1 不再让 ssh 登录；请在 ssh 的配置中指明正确的那个（IdentityFile、IdentitiesOnly）</translation>
    </message>
    <message>
        <source>ssh finds no host called &quot;%1&quot;; is it spelled right?</source>
        <translation>ssh 找不到名为“%1”的主机；拼写正确吗？</translation>
    </message>
    <message>
        <source>ssh cannot connect to %1: %2; is that its SSH port?</source>
        <translation>ssh 无法连接到 %1：%2；那是它的 SSH 端口吗？</translation>
    </message>
    <message>
        <source>ssh cannot make the near end of a tunnel: %1</source>
        <translation>ssh 无法建立隧道的近端：%1</translation>
    </message>
    <message>
        <source>ssh to %1: %2</source>
        <translation>通往 %1 的 ssh：%2</translation>
    </message>
    <message>
        <source>ssh is logged in at %1, which permits no forwarding there (AllowTcpForwarding, PermitOpen)</source>
        <translation>ssh 已登录 %1，但它不许可向那里转发（AllowTcpForwarding、PermitOpen）</translation>
    </message>
    <message>
        <source>ssh is logged in at %1, and from there: %2</source>
        <translation>ssh 已登录 %1，从那里再往前：%2</translation>
    </message>
    <message>
        <source>there is no ssh on this machine to reach %1 with; on Debian the package openssh-client has it</source>
        <translation>本机没有可用来到达 %1 的 ssh；在 Debian 上由软件包 openssh-client 提供</translation>
    </message>
    <message>
        <source>cannot run ssh: %1</source>
        <translation>无法运行 ssh：%1</translation>
    </message>
    <message>
        <source>%1, which no story may send</source>
        <translation>%1，故事不能发送它</translation>
    </message>
    <message>
        <source>no command</source>
        <translation>没有命令</translation>
    </message>
    <message>
        <source>%1 in reply to %2</source>
        <translation>对 %2 的应答是 %1</translation>
    </message>
    <message>
        <source>the story does not say which key its recipe is used on; explore --play plays it as it was recorded</source>
        <translation>故事没有说明其方案用于哪个键；explore --play 会按所录的播放它</translation>
    </message>
    <message>
        <source>the story does not say what %1 begins here; explore --play plays it as it was recorded</source>
        <translation>故事没有说明 %1 在此开始什么；explore --play 会按所录的播放它</translation>
    </message>
    <message>
        <source>%1 is inside.</source>
        <translation>%1 在临界区内。</translation>
    </message>
    <message>
        <source>%1 wants the lock.</source>
        <translation>%1 想要这把锁。</translation>
    </message>
    <message>
        <source>%1 releases its lock.</source>
        <translation>%1 释放它的锁。</translation>
    </message>
    <message>
        <source>%1 extends its lease.</source>
        <translation>%1 为它的租约续期。</translation>
    </message>
    <message>
        <source>%1 writes what expires.</source>
        <translation>%1 写入会过期的数据。</translation>
    </message>
    <message>
        <source>%1 reads.</source>
        <translation>%1 读取。</translation>
    </message>
    <message>
        <source>%1 sends %2, and is answered %3.</source>
        <translation>%1 发送 %2，得到的应答是 %3。</translation>
    </message>
    <message>
        <source>%1 reads its clock.</source>
        <translation>%1 看自己的时钟。</translation>
    </message>
    <message>
        <source>%1 waits before it tries again.</source>
        <translation>%1 等一会儿再试。</translation>
    </message>
    <message>
        <source>%1 writes to the resource that the lock protects.</source>
        <translation>%1 写入锁所保护的资源。</translation>
    </message>
    <message>
        <source>The process of %1 is killed (SIGKILL).</source>
        <translation>%1 的进程被杀死（SIGKILL）。</translation>
    </message>
    <message>
        <source>The time of %1 ends. It is hours long, so the player has cut what was left of it (PEXPIRE).</source>
        <translation>%1 的时间结束。它长达数小时，所以播放器截去了剩余的部分（PEXPIRE）。</translation>
    </message>
    <message>
        <source>All clocks pass the deadline in %1: the player has moved those of the clients.</source>
        <translation>所有时钟都越过了 %1 中的截止时间：播放器拨动了客户端的时钟。</translation>
    </message>
    <message>
        <source>%1 pass</source>
        <translation>过了 %1</translation>
    </message>
    <message numerus="yes">
        <source>the first %n orders and answers, which have been given up</source>
        <translation>
            <numerusform>最早的 %n 条指令和回答，它们已被舍弃</numerusform>
        </translation>
    </message>
    <message>
        <source>What %1 did</source>
        <translation>%1 做了什么</translation>
    </message>
    <message>
        <source>Saved from a sequence diagram.</source>
        <translation>由时序图保存而成。</translation>
    </message>
    <message>
        <source>all clocks are moved past the deadline in %1</source>
        <translation>所有时钟都拨过 %1 中的截止时间</translation>
    </message>
    <message>
        <source>unknown form &quot;%1&quot;; there are %2</source>
        <translation>未知的形式“%1”；现有 %2</translation>
    </message>
    <message>
        <source>%1, or give the password by hand</source>
        <translation>%1，或手动给出密码</translation>
    </message>
    <message>
        <source>%1, or keep the server without its password</source>
        <translation>%1，或收藏服务器而不保存其密码</translation>
    </message>
    <message>
        <source>the keychain is locked; unlock it and try again</source>
        <translation>钥匙串已锁定；请解锁后重试</translation>
    </message>
    <message>
        <source>no keychain answers (%1); start the desktop&apos;s and try again</source>
        <translation>没有钥匙串应答（%1）；请启动桌面的钥匙串后重试</translation>
    </message>
    <message>
        <source>the keychain has none; enter it anew where the server is kept</source>
        <translation>钥匙串中没有；请在收藏该服务器之处重新输入</translation>
    </message>
    <message>
        <source>this Latchkey was built without QtKeychain, and keeps no passwords; give the password by hand</source>
        <translation>此 Latchkey 构建时没有 QtKeychain，不保存密码；请手动给出密码</translation>
    </message>
    <message>
        <source>cannot make a clock for programs: %1</source>
        <translation>无法为程序创建时钟：%1</translation>
    </message>
    <message>
        <source>%1 cannot be preloaded: its path has a space or a colon in it</source>
        <translation>无法预加载 %1：其路径中含有空格或冒号</translation>
    </message>
    <message>
        <source>no process can be started: %1</source>
        <translation>无法启动进程：%1</translation>
    </message>
    <message>
        <source>it sends %1, after which replies do not answer commands one by one: programs that are told of things unasked cannot be explored</source>
        <translation>它发送 %1，此后应答不再逐条对应命令：会不问自告的程序无法探索</translation>
    </message>
    <message>
        <source>it chooses database %1: let it use database 0, as the URL that it is given says</source>
        <translation>它选择了数据库 %1：让它使用数据库 0，如给它的 URL 所说</translation>
    </message>
    <message>
        <source>%1 cannot be started: %2</source>
        <translation>无法启动 %1：%2</translation>
    </message>
    <message>
        <source>no port can be opened for the program: %1</source>
        <translation>无法为程序打开端口：%1</translation>
    </message>
    <message>
        <source>it begins with TLS: let it connect without, as the URL that it is given says</source>
        <translation>它一开始就用 TLS：让它不用 TLS 建立连接，如给它的 URL 所说</translation>
    </message>
    <message>
        <source>what it sends is not the Redis protocol (RESP2; inline commands are not supported)</source>
        <translation>它发送的不是 Redis 协议（RESP2；不支持内联命令）</translation>
    </message>
    <message>
        <source>it opens one connection after the other, more than %1</source>
        <translation>它接连打开连接，超过 %1 个</translation>
    </message>
    <message>
        <source>the recipe %1 does not compare a token in one step: it has one form</source>
        <translation>方案 %1 不在一步中比较令牌：它只有一种形式</translation>
    </message>
    <message>
        <source>it has ended with exit code %1 before its first command; %2</source>
        <translation>它在第一条命令之前就以退出码 %1 结束；%2</translation>
    </message>
    <message>
        <source>it has printed nothing</source>
        <translation>它什么也没有打印</translation>
    </message>
    <message>
        <source>it was stopped while it had sent no command yet</source>
        <translation>它还没有发送命令就被停止了</translation>
    </message>
    <message>
        <source>the race finder&apos;s server does not go by the clock that it was given</source>
        <translation>竞态查找器的服务器没有依照给它的时钟走</translation>
    </message>
    <message>
        <source>it cannot have a network of its own, as --fixed-port needs (%1): let the system allow user namespaces (user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container a profile with unshare), or let it read REDIS_URL and leave --fixed-port out</source>
        <translation>它不能有自己的网络，而 --fixed-port 需要它（%1）：让系统允许用户命名空间（user.max_user_namespaces 大于 0，kernel.unprivileged_userns_clone=1，kernel.apparmor_restrict_unprivileged_userns=0；在容器中用允许 unshare 的配置），或者让它读取 REDIS_URL 并去掉 --fixed-port</translation>
    </message>
    <message>
        <source>%1 is too long a path for a socket</source>
        <translation>%1 作为套接字的路径太长</translation>
    </message>
    <message>
        <source>it ended with exit code %1 and did not connect to the server of REDIS_URL; for a program with a fixed port, use --fixed-port; %2</source>
        <translation>它以退出码 %1 结束，没有连接 REDIS_URL 的服务器；如果程序的端口固定，请用 --fixed-port；%2</translation>
    </message>
    <message>
        <source>nothing that a program does; explore --play plays it as it was recorded</source>
        <translation>不是程序会做的事；explore --play 会按录制的样子播放它</translation>
    </message>
    <message>
        <source>The lifetime of %1 ends: the player has cut what was left of it (PEXPIRE).</source>
        <translation>%1 的生存时间结束：播放器截去了剩余的部分（PEXPIRE）。</translation>
    </message>
    <message>
        <source>%1 waits, and time goes by.</source>
        <translation>%1 在等待，时间流逝。</translation>
    </message>
    <message>
        <source>%1 sends %2. It is carried out, but the reply is lost, and the connection with it.</source>
        <translation>%1 发送 %2。命令执行了，但应答丢失，连接也随之断开。</translation>
    </message>
    <message>
        <source>The shortest schedule that the race finder has found with the processes of %1. The program itself does not run here: clients of Latchkey&apos;s send what its processes have sent, and no lifetime ends before its turn.</source>
        <translation>竞态查找器用 %1 的进程找到的最短调度。这里并不运行程序本身：由 Latchkey 的客户端发送它的进程发送过的命令，任何生存时间都不会提前结束。</translation>
    </message>
    <message>
        <source>there is no folder %1</source>
        <translation>没有文件夹 %1</translation>
    </message>
    <message>
        <source>it sends %1 with BLOCK and $, of which the answer hangs on the moment at which it is sent: programs can be explored that name the last entry that they know</source>
        <translation>它发送带 BLOCK 和 $ 的 %1，其应答取决于发送的时刻：指明自己所知最后一个条目的程序可以探索</translation>
    </message>
    <message>
        <source>%1 has sent %2, and waited for nothing: %3. The player has cut the wait.</source>
        <translation>%1 发送了 %2，白等了一场：%3。播放器缩短了这段等待。</translation>
    </message>
    <message>
        <source>it subscribes to %1: programs that are told by the server what becomes of keys cannot be explored</source>
        <translation>它订阅了 %1：由服务器告知键的变化的程序无法探索</translation>
    </message>
    <message>
        <source>%1 closes the connection over which it was told messages.</source>
        <translation>%1 关闭了接收消息的连接。</translation>
    </message>
    <message>
        <source>%1 is told %2. (The clients here are told no messages.)</source>
        <translation>%1 收到 %2。（这里的客户端不会收到消息。）</translation>
    </message>
    <message>
        <source>%1 sends %2, and is answered %3. (The clients here do not subscribe.)</source>
        <translation>%1 发送 %2，得到应答 %3。（这里的客户端并不订阅。）</translation>
    </message>
    <message>
        <source>Hash fields with a lifetime each, by HSETEX</source>
        <translation>用 HSETEX 写入各有生存时间的哈希字段</translation>
    </message>
    <message>
        <source>One command of newer servers (Redis 8.0, Valkey 9.0) writes fields that each have the lifetime, and leaves the rest of the hash as it is; elsewhere it is hash-lua.</source>
        <translation>较新服务器（Redis 8.0、Valkey 9.0）的一条命令写入各有此生存时间的字段，哈希的其余部分保持原样；在别处它就是 hash-lua。</translation>
    </message>
    <message>
        <source>it sends %1 within a transaction, where no client waits for as many answers as there are</source>
        <translation>它在事务中发送 %1，而没有客户端会在事务中等待那么多条应答</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a size; write it like 500KB, 100MB or 2GB</source>
        <translation>“%1”不是大小；请写成 500KB、100MB 或 2GB</translation>
    </message>
    <message>
        <source>cannot change %1: it is not in INI format</source>
        <translation>无法更改 %1：它不是 INI 格式</translation>
    </message>
    <message>
        <source>cannot read %1</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>cannot make the folder %1: %2</source>
        <translation>无法创建文件夹 %1：%2</translation>
    </message>
    <message>
        <source>%1 was flushed: its only key is gone</source>
        <translation>%1 已被清空：唯一的键已消失</translation>
    </message>
    <message numerus="yes">
        <source>%1 was flushed: %n keys went at once</source>
        <translation>
            <numerusform>%1 已被清空：%n 个键同时消失</numerusform>
        </translation>
    </message>
    <message>
        <source>Another process answers at %1: it was restarted or replaced, or a failover took place; locks that it had may be lost</source>
        <translation>%1 处应答的是另一个进程：它已重启或被替换，或发生了故障转移；其上的锁可能已丢失</translation>
    </message>
    <message>
        <source>Failover: %1 is a replica now, and takes no writes</source>
        <translation>故障转移：%1 现在是副本，不接受写入</translation>
    </message>
    <message>
        <source>Failover: %1 is a primary now; locks of the old one may be lost</source>
        <translation>故障转移：%1 现在是主节点；原主节点上的锁可能已丢失</translation>
    </message>
    <message>
        <source>a lifetime must be longer than zero, not %1</source>
        <translation>生存时间必须大于零，而不是 %1</translation>
    </message>
    <message>
        <source>a lifetime of %1 is longer than a hundred years</source>
        <translation>生存时间 %1 超过一百年</translation>
    </message>
    <message>
        <source>its time is not within ten years of the start; what came before it is shown</source>
        <translation>其时间不在开始后的十年之内；此前的内容已显示</translation>
    </message>
    <message>
        <source>the recording has ended: it has reached its limit of %1</source>
        <translation>录制已结束：已达到上限 %1</translation>
    </message>
    <message>
        <source>needs two slashes behind &quot;%1&quot;</source>
        <translation>“%1”之后需要两个斜杠</translation>
    </message>
    <message>
        <source>-s: the path &quot;%1&quot; is relative; write it from the root, like %2</source>
        <translation>-s：路径“%1”是相对路径；请从根目录写起，如 %2</translation>
    </message>
    <message>
        <source>-s: &quot;%1&quot; cannot be the path of a socket</source>
        <translation>-s：“%1”不能作为套接字的路径</translation>
    </message>
    <message>
        <source>-h: &quot;%1&quot; is no host name and no IP address</source>
        <translation>-h：“%1”既不是主机名也不是 IP 地址</translation>
    </message>
    <message>
        <source>nothing has been seen for %1: %2</source>
        <translation>已有 %1 什么也没看到：%2</translation>
    </message>
    <message>
        <source>nothing was seen for %1</source>
        <translation>有 %1 什么也没看到</translation>
    </message>
    <message>
        <source>some keys are not shown: %1</source>
        <translation>有些键没有显示：%1</translation>
    </message>
    <message>
        <source>%1 cannot be asked: %2</source>
        <translation>不能询问 %1：%2</translation>
    </message>
    <message>
        <source>of %1 keys only %2 were looked at</source>
        <translation>%1 个键中只看了 %2 个</translation>
    </message>
    <message>
        <source>only %1 keys were looked at</source>
        <translation>只看了 %1 个键</translation>
    </message>
    <message>
        <source>changes have waited for %1 to be read</source>
        <translation>变化已等待 %1 仍未读取</translation>
    </message>
    <message>
        <source>the server does not answer</source>
        <translation>服务器没有应答</translation>
    </message>
    <message>
        <source>the server&apos;s SCAN does not end (%1 steps)</source>
        <translation>服务器的 SCAN 没有尽头（%1 步）</translation>
    </message>
    <message>
        <source>the connection was lost when this was recorded</source>
        <translation>录制时连接已丢失</translation>
    </message>
    <message>
        <source>not connected yet</source>
        <translation>尚未连接</translation>
    </message>
    <message>
        <source>the server&apos;s reply has an unexpected type: %1</source>
        <translation>服务器应答的类型不符合预期：%1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is missing</source>
        <translation>缺少“%1”</translation>
    </message>
    <message>
        <source>&quot;%1&quot; stands where &quot;%2&quot; is expected</source>
        <translation>应为“%2”的地方是“%1”</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is too much</source>
        <translation>“%1”是多余的</translation>
    </message>
    <message>
        <source>&quot;after writing&quot; goes with &quot;gone between&quot; and &quot;exists until&quot; only</source>
        <translation>“after writing”只能与“gone between”和“exists until”一起用</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no time in whole milliseconds</source>
        <translation>“%1”不是以整毫秒计的时间</translation>
    </message>
    <message>
        <source>what is expected is missing; it reads &quot;gone between 1s and 2s&quot;, &quot;exists until 5s&quot;, &quot;renewed at least every 10s&quot; or &quot;never without expiry&quot;</source>
        <translation>缺少期望的内容；写法如“gone between 1s and 2s”、“exists until 5s”、“renewed at least every 10s”或“never without expiry”</translation>
    </message>
    <message>
        <source>renewed once</source>
        <translation>续期 1 次</translation>
    </message>
    <message>
        <source>an expiry in the one look</source>
        <translation>仅有的一次查看中有过期时间</translation>
    </message>
    <message>
        <source>%1 has no &quot;%2&quot; any more</source>
        <translation>%1 中已没有“%2”</translation>
    </message>
    <message>
        <source>reading the password of &quot;%1&quot; from the keychain</source>
        <translation>从钥匙串读取“%1”的密码</translation>
    </message>
    <message>
        <source>keeping the password of &quot;%1&quot; in the keychain</source>
        <translation>在钥匙串中保存“%1”的密码</translation>
    </message>
    <message>
        <source>removing the password of &quot;%1&quot; from the keychain</source>
        <translation>从钥匙串移除“%1”的密码</translation>
    </message>
    <message>
        <source>the server &quot;%1&quot;</source>
        <translation>服务器“%1”</translation>
    </message>
    <message>
        <source>the server &quot;%1&quot; has a password in %2, which is not used: take it out of the file</source>
        <translation>服务器“%1”在 %2 中有密码，不会使用它：请把它从文件中删去</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot be a server&apos;s name: it is one line, without slashes</source>
        <translation>“%1”不能用作服务器名称：名称须为一行，且不含斜杠</translation>
    </message>
    <message>
        <source>the server &quot;%1&quot; has an address that no URL can hold</source>
        <translation>服务器“%1”的地址无法写成 URL</translation>
    </message>
    <message>
        <source>another server is called &quot;%1&quot; already</source>
        <translation>已有另一台服务器名为“%1”</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has crashed in %2</source>
        <translation>“%1”已在 %2 中崩溃</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is paused already</source>
        <translation>“%1”已经暂停</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not paused</source>
        <translation>“%1”没有暂停</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has not tried to acquire a lock</source>
        <translation>“%1”没有尝试过获取锁</translation>
    </message>
    <message>
        <source>the outcome &quot;%1&quot; cannot be: it is one of %2</source>
        <translation>不可能有结果“%1”：只会是 %2 之一</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not among the alternatives</source>
        <translation>“%1”不在可选方案之中</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not among the story&apos;s clients</source>
        <translation>“%1”不在故事的客户端之中</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is another client&apos;s name already</source>
        <translation>“%1”已经是另一客户端的名字</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is none of %2</source>
        <translation>“%1”不是 %2 之一</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has crashed in steps[%2]</source>
        <translation>“%1”已在 steps[%2] 中崩溃</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is inside already</source>
        <translation>“%1”已经在临界区内</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not inside</source>
        <translation>“%1”不在临界区内</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>它不是普通文件</translation>
    </message>
    <message>
        <source>the recipe %1 does not accept %2</source>
        <translation>方案 %1 用不到%2</translation>
    </message>
    <message>
        <source>the server discarded the transaction</source>
        <translation>服务器丢弃了该事务</translation>
    </message>
    <message>
        <source>MULTI, HSET, PEXPIRE, EXEC: all or nothing, even if a client dies between the commands.</source>
        <translation>MULTI、HSET、PEXPIRE、EXEC：要么全部，要么全无，即使客户端在命令之间死去。</translation>
    </message>
    <message>
        <source>EXEC does not stop at a command of the wrong type: PEXPIRE then changes the lifetime of another client&apos;s key.</source>
        <translation>EXEC 遇到类型不符的命令不会停止：PEXPIRE 于是改变了另一个客户端的键的生存时间。</translation>
    </message>
    <message>
        <source>the key never existed</source>
        <translation>键从未存在</translation>
    </message>
    <message>
        <source>the key was never seen; no verdict</source>
        <translation>从未看到过键；没有判定</translation>
    </message>
    <message>
        <source>the key never existed long enough for a verdict</source>
        <translation>键存在的时间始终不足以判定</translation>
    </message>
    <message>
        <source>the key may have ended and returned unobserved</source>
        <translation>键可能在没有观察到时消失后又出现</translation>
    </message>
    <message>
        <source>ended before its expiry</source>
        <translation>在过期之前结束</translation>
    </message>
    <message>
        <source>ended, cause not seen</source>
        <translation>已结束，没有看到如何结束</translation>
    </message>
    <message>
        <source>replaced another holder</source>
        <translation>取代了另一个持有者</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>inferred, not seen</source>
        <translation>推算而得，没有看到</translation>
    </message>
    <message>
        <source>possibly removed because of our own read</source>
        <translation>可能因我们自己的读取而被删除</translation>
    </message>
    <message>
        <source>restored here</source>
        <translation>在此放回</translation>
    </message>
    <message>
        <source>expiry removed here</source>
        <translation>在此去掉了过期时间</translation>
    </message>
    <message>
        <source>expiry set here to %1</source>
        <translation>在此把过期时间设为 %1</translation>
    </message>
    <message>
        <source>expiry removed again here</source>
        <translation>在此再次去掉过期时间</translation>
    </message>
    <message>
        <source>expiry restored here to %1</source>
        <translation>在此把过期时间恢复为 %1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a limit; write a share of the server&apos;s core like 1% (0.01% to 100%), or commands per second like 500/s (1/s to 1000000/s)</source>
        <translation>“%1”不是上限；请写成服务器核心的份额，如 1%（0.01% 到 100%），或每秒命令数，如 500/s（1/s 到 1000000/s）</translation>
    </message>
    <message>
        <source>TIME returned no time</source>
        <translation>TIME 没有给出时间</translation>
    </message>
    <message>
        <source>the server&apos;s answer is not a value</source>
        <translation>服务器应答的不是值</translation>
    </message>
    <message>
        <source>the writer ended unexpectedly with exit code %1</source>
        <translation>写入者意外结束，退出码 %1</translation>
    </message>
    <message>
        <source>keys below %1 may remain</source>
        <translation>%1 之下可能还有遗留的键</translation>
    </message>
    <message>
        <source>A holder that exceeds its lease deletes the lock of its successor, and both can be inside: mutual-exclusion covers only holders that do not exceed their leases.</source>
        <translation>超出租约的持有者会删除后继者的锁，两者可能同时在里面：mutual-exclusion 只涵盖不超出租约的持有者。</translation>
    </message>
    <message>
        <source>The lock holds its deadline; GETSET decides which client that saw a past deadline was first.</source>
        <translation>锁中存放其截止时间；GETSET 说明在看到已过截止时间的客户端中谁是第一个。</translation>
    </message>
    <message>
        <source>the program is not deterministic: after the same replies at the same times, one process sent %1 and another sent %2</source>
        <translation>程序不是确定的：在同样的时刻得到同样的应答之后，一个进程发送了 %1，另一个发送了 %2</translation>
    </message>
    <message>
        <source>the program is not deterministic: after the same replies, one process sent %1 and another sent %2; its clock is not virtual</source>
        <translation>程序不是确定的：同样的应答之后，一个进程发送了 %1，另一个发送了 %2；其时钟不是虚拟的</translation>
    </message>
    <message>
        <source>a single client without faults ends with exit code %1; %2</source>
        <translation>单独一个客户端在没有任何故障时就以退出码 %1 结束；%2</translation>
    </message>
    <message>
        <source>it has been computing for %n seconds while it waits, so its next step is unknown</source>
        <translation>它在等待的同时已连续计算了 %n 秒，所以不知道它的下一步</translation>
    </message>
    <message>
        <source>last output: %1</source>
        <translation>它最后打印的是：%1</translation>
    </message>
    <message>
        <source>it sends %1 and similar commands without end, and no command that reads or writes a key</source>
        <translation>它无休止地发送 %1 之类的命令，没有一条读写键</translation>
    </message>
    <message>
        <source>%1 sends %2 and receives %3 instead of %4</source>
        <translation>%1 发送 %2，得到的是 %3，而不是 %4</translation>
    </message>
    <message>
        <source>%1 does not send %2</source>
        <translation>%1 不想发送 %2</translation>
    </message>
    <message>
        <source>%1 does not treat all its servers equally, as the race finder assumed</source>
        <translation>%1 并不像竞态查找器所假定的那样同等对待所有服务器</translation>
    </message>
    <message>
        <source>the value of these keys is unknown, or contains no holder</source>
        <translation>不知道这些键的值，或其中没有持有者</translation>
    </message>
    <message>
        <source>it has no time (&quot;t&quot;)</source>
        <translation>它没有说明时间（“t”）</translation>
    </message>
    <message>
        <source>its contents are not understood</source>
        <translation>其内容无法理解</translation>
    </message>
    <message>
        <source>the server began a reply without a request</source>
        <translation>服务器在没有请求时开始了一个应答</translation>
    </message>
    <message>
        <source>the server sent a reply without a request (%1)</source>
        <translation>服务器在没有请求时发来应答（%1）</translation>
    </message>
    <message>
        <source>the proxy %1 requires a user and a password: write them into its URL, or set LATCHKEY_PROXY_PASSWORD</source>
        <translation>代理 %1 需要用户名和密码：请写入其 URL，或设置 LATCHKEY_PROXY_PASSWORD</translation>
    </message>
    <message>
        <source>the proxy %1 rejects this user and password</source>
        <translation>代理 %1 不接受该用户名和密码</translation>
    </message>
    <message>
        <source>cannot connect to the proxy %1: %2</source>
        <translation>代理 %1 不存在：%2</translation>
    </message>
    <message>
        <source>the proxy %1 closed the connection; check its protocol</source>
        <translation>代理 %1 关闭了连接；请检查其协议</translation>
    </message>
    <message>
        <source>the proxy %1 does not permit connections to %2</source>
        <translation>代理 %1 不许可连接到 %2</translation>
    </message>
    <message>
        <source>the proxy %1 does not find the host &quot;%2&quot;, or does not permit connections to it</source>
        <translation>代理 %1 找不到主机“%2”，或不许可连接到它</translation>
    </message>
    <message>
        <source>%1: the server closed the connection without a reply; a TLS port does so, and its URL begins with rediss://</source>
        <translation>%1：服务器没有应答就关闭了连接；TLS 端口会这样，其 URL 以 rediss:// 开头</translation>
    </message>
    <message>
        <source>this port requires TLS: such a URL begins with rediss://</source>
        <translation>此端口需要 TLS：这种 URL 以 rediss:// 开头</translation>
    </message>
    <message>
        <source>its certificate is self-signed; if you know its SHA-256, pin it: %1</source>
        <translation>它的证书是自签名的；如果您知道它的 SHA-256，请固定它：%1</translation>
    </message>
    <message>
        <source>its certificate comes from an untrusted CA; if you know its SHA-256, pin it: %1</source>
        <translation>它的证书来自此处不受信任的 CA；如果您知道它的 SHA-256，请固定它：%1</translation>
    </message>
    <message>
        <source>its certificate is not signed by a trusted CA; specify its CA, or pin the certificate if you know its SHA-256: %1</source>
        <translation>它的证书不是由受信任的 CA 签发的；请指明其 CA，或者如果您知道它的 SHA-256，请固定它：%1</translation>
    </message>
    <message>
        <source>it requires a client certificate, and none was given</source>
        <translation>它需要客户端证书，却没有提供</translation>
    </message>
    <message>
        <source>it does not accept the client certificate</source>
        <translation>它不接受客户端证书</translation>
    </message>
    <message>
        <source>the client certificate has expired</source>
        <translation>客户端证书已过期</translation>
    </message>
    <message>
        <source>the client certificate has been revoked</source>
        <translation>客户端证书已被吊销</translation>
    </message>
    <message>
        <source>it aborted the TLS handshake: it may reject the client certificate or support no common cipher</source>
        <translation>它中断了 TLS 握手：也许不接受客户端证书，或没有共同的加密套件</translation>
    </message>
    <message>
        <source>it aborted the TLS handshake: it may require a client certificate or support no common cipher</source>
        <translation>它中断了 TLS 握手：也许需要客户端证书，或没有共同的加密套件</translation>
    </message>
    <message>
        <source>it aborted the TLS handshake (alert %1)</source>
        <translation>它中断了 TLS 握手（警报 %1）</translation>
    </message>
    <message>
        <source>its certificate is NOT the pinned one: the connection may be intercepted, or the certificate was renewed; it is now %1</source>
        <translation>它的证书不是所固定的那个：连接可能被截取，也可能证书已更新；现在是 %1</translation>
    </message>
    <message>
        <source>it closed the connection during the TLS handshake</source>
        <translation>它在 TLS 握手期间关闭了连接</translation>
    </message>
    <message>
        <source>the keychain refused access; allow it there and try again</source>
        <translation>钥匙串拒绝了；请在那里允许后重试</translation>
    </message>
    <message>
        <source>%1 is paused</source>
        <translation>%1 被暂停</translation>
    </message>
    <message>
        <source>%1 is resumed</source>
        <translation>%1 恢复运行</translation>
    </message>
    <message>
        <source>the resource accepts the write of %1</source>
        <translation>资源接受 %1 的写入</translation>
    </message>
    <message>
        <source>the resource refuses the write of %1</source>
        <translation>资源拒绝 %1 的写入</translation>
    </message>
    <message>
        <source>%1 was killed and lost its data</source>
        <translation>%1 被杀死，其中的内容已消失</translation>
    </message>
    <message>
        <source>%1 was restarted without data</source>
        <translation>%1 已重新启动，空无一物</translation>
    </message>
    <message>
        <source>%1 is frozen and does not respond</source>
        <translation>%1 被冻结，没有响应</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>write accepted</source>
        <translation>写入被接受</translation>
    </message>
    <message>
        <source>continues</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>--insecure is not supported: every certificate is verified; specify its CA (cacert), or pin it</source>
        <translation>不采用 --insecure：每个证书都会验证；请指明谁为它担保（cacert），或固定它</translation>
    </message>
    <message>
        <source>the SSH host key of %1 has CHANGED: the connection may be intercepted, or the host was reinstalled; ask its administrator, and if it was, remove the old key with ssh-keygen -R</source>
        <translation>%1 的 SSH 主机密钥已改变：连接可能被截取，也可能主机已重装；请询问其管理员，如确已重装，请用 ssh-keygen -R 去掉旧的密钥</translation>
    </message>
    <message>
        <source>the SSH host key of %1 is unknown and not confirmed; compare it with the value from its administrator, and log in once with ssh</source>
        <translation>%1 的 SSH 主机密钥未知，也未经确认；请与其管理员给出的值核对，再用 ssh 登录一次</translation>
    </message>
    <message>
        <source>ssh to %1 ended without a message</source>
        <translation>通往 %1 的 ssh 没有说明原因就结束了</translation>
    </message>
    <message>
        <source>ssh to %1 timed out</source>
        <translation>通往 %1 的 ssh 没有及时接通</translation>
    </message>
    <message>
        <source>the SSH connection to %1 is lost</source>
        <translation>到 %1 的 SSH 连接已断</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is paused and cannot report</source>
        <translation>“%1”已暂停，不会说话</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is neither held nor executing an order</source>
        <translation>“%1”既没有被拦住，也没有在执行指令</translation>
    </message>
    <message>
        <source>held_by: a lock of %1 does not record its holder</source>
        <translation>held_by：%1 的锁不记录持有者</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is still executing %2; await its answer first</source>
        <translation>“%1”仍在执行 %2 中的指令；请先等它的应答</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is paused and cannot answer: use &quot;background&quot;: true</source>
        <translation>“%1”已暂停，不会应答：请写 &quot;background&quot;: true</translation>
    </message>
    <message>
        <source>this step has no answer, so it has no outcome</source>
        <translation>这里没有谁会应答，所以没有结果</translation>
    </message>
    <message>
        <source>the loss of a reply to %1</source>
        <translation>给 %1 的一条应答丢失了</translation>
    </message>
    <message>
        <source>given tokens, which are replaced by random ones</source>
        <translation>给客户端的令牌，改为各用一个随机令牌</translation>
    </message>
    <message>
        <source>operations of %1 on a lock acquired before the story</source>
        <translation>%1 对故事之前已取得的锁所做的操作</translation>
    </message>
    <message>
        <source>the restart of %1: a story has at most %2 clients</source>
        <translation>%1 的重新启动，因为故事最多有 %2 个客户端</translation>
    </message>
    <message>
        <source>the steps after %1, when %2 was restarted</source>
        <translation>%1 之后的内容，那时 %2 重新启动了</translation>
    </message>
    <message>
        <source>the freezing of %1</source>
        <translation>%1 曾被冻结一阵</translation>
    </message>
    <message>
        <source>the steps of more than %1 clients</source>
        <translation>超出 %1 个的客户端所做的操作</translation>
    </message>
    <message>
        <source>the steps after %1: a story has at most %2 steps</source>
        <translation>%1 之后的内容，因为故事最多有 %2 步</translation>
    </message>
    <message>
        <source>a key that does not exist has no other properties</source>
        <translation>不存在的键没有其他属性</translation>
    </message>
    <message>
        <source>no client</source>
        <translation>没有客户端</translation>
    </message>
    <message>
        <source>expected %2, got %1</source>
        <translation>它是 %1，而不是 %2</translation>
    </message>
    <message>
        <source>inside: expected %2, got %1</source>
        <translation>临界区内：%1，而不是 %2</translation>
    </message>
    <message>
        <source>writes accepted by the resource: expected %2, got %1</source>
        <translation>资源接受了 %1 的写入，而不是 %2 的</translation>
    </message>
    <message>
        <source>writes refused by the resource: expected %2, got %1</source>
        <translation>资源拒绝了 %1 的写入，而不是 %2 的</translation>
    </message>
    <message>
        <source>recomputed %1 times instead of %2</source>
        <translation>它被重算了 %1 次，而不是 %2 次</translation>
    </message>
    <message>
        <source>it %1, but should %2</source>
        <translation>它现在%1，而应当%2</translation>
    </message>
    <message>
        <source>the key %1 holds no deadline</source>
        <translation>键 %1 没有存放时钟能够越过的截止时间</translation>
    </message>
    <message>
        <source>%1 and %2 are both inside!</source>
        <translation>%1 在临界区内，%2 也在！</translation>
    </message>
    <message>
        <source>the race finder ended unexpectedly with exit code %1</source>
        <translation>竞态查找器意外结束，退出码 %1</translation>
    </message>
    <message>
        <source>not an operation of the recipe &quot;%1&quot;</source>
        <translation>方案“%1”不做此事</translation>
    </message>
    <message>
        <source>The shortest schedule that the race finder has found. Each client is a separate process that uses %1 and is held before each command.</source>
        <translation>竞态查找器找到的最短调度。每个客户端都是一个使用 %1 的独立进程，并在每条命令之前被拦住。</translation>
    </message>
    <message>
        <source>no client has done anything that a story can contain</source>
        <translation>还没有客户端做过故事能包含的事</translation>
    </message>
    <message>
        <source>omit it</source>
        <translation>还是去掉它吧</translation>
    </message>
    <message>
        <source>the server cannot shorten a deadline in a value</source>
        <translation>服务器不能缩短值中的截止时间</translation>
    </message>
    <message>
        <source>is called kill_server now</source>
        <translation>现在叫 kill_server</translation>
    </message>
    <message>
        <source>this step sends no command to hold</source>
        <translation>这一步没有发送可以拦住的命令</translation>
    </message>
    <message>
        <source>this step has no answer to wait for</source>
        <translation>这里没有应答可等</translation>
    </message>
    <message numerus="yes">
        <source>timeout: not reached within %n seconds</source>
        <translation>
            <numerusform>超时：%n 秒内没有发生</numerusform>
        </translation>
    </message>
    <message>
        <source>the process of &quot;%1&quot; ended unexpectedly</source>
        <translation>“%1”的进程意外结束</translation>
    </message>
    <message>
        <source>no steps</source>
        <translation>什么也没有发生</translation>
    </message>
    <message>
        <source>this is not a Latchkey story</source>
        <translation>这不是 Latchkey 的故事</translation>
    </message>
    <message>
        <source>reads %1 and recomputes it if needed</source>
        <translation>需要 %1，必要时重算它</translation>
    </message>
    <message>
        <source>is paused (SIGSTOP)</source>
        <translation>被停住（SIGSTOP）</translation>
    </message>
    <message>
        <source>is resumed (SIGCONT)</source>
        <translation>醒来（SIGCONT）</translation>
    </message>
    <message>
        <source>renews its lease automatically</source>
        <translation>自动为租约续期</translation>
    </message>
    <message>
        <source>the key %1 expires</source>
        <translation>键 %1 过期</translation>
    </message>
    <message numerus="yes">
        <source>timeout: the server has been executing the step for %n seconds</source>
        <translation>
            <numerusform>服务器已为它忙了 %n 秒，任何一步都不得更久</numerusform>
        </translation>
    </message>
    <message>
        <source>a client has written over what another wrote after it had read</source>
        <translation>一个客户端覆盖了另一个客户端在它读取之后写入的内容</translation>
    </message>
    <message>
        <source>a client has ended or changed a lock that another client holds</source>
        <translation>一个客户端结束或改变了另一个客户端持有的锁</translation>
    </message>
    <message>
        <source>a key is left behind that never expires</source>
        <translation>遗留了永不过期的键</translation>
    </message>
    <message>
        <source>two clients are inside at once</source>
        <translation>两个客户端同时在临界区内</translation>
    </message>
    <message>
        <source>two clients with different clocks are inside at once</source>
        <translation>两个时钟不一致的客户端同时在临界区内</translation>
    </message>
    <message>
        <source>a client that did not get the lock has changed or ended the holder&apos;s</source>
        <translation>没有得到锁的客户端改变或结束了持有者的锁</translation>
    </message>
    <message>
        <source>the resource has taken an older holder&apos;s write after a newer holder&apos;s</source>
        <translation>资源在接受较新持有者的写入之后，又接受了较旧持有者的写入</translation>
    </message>
    <message>
        <source>data is left behind that never expires</source>
        <translation>遗留了永不过期的数据</translation>
    </message>
    <message>
        <source>a key of another type has been overwritten, or its lifetime changed</source>
        <translation>其他类型的键被覆盖，或其生存时间被改变</translation>
    </message>
    <message>
        <source>a reader has seen parts of two writes, or a part of one</source>
        <translation>读者看到了两次写入的各一部分，或一次写入的一部分</translation>
    </message>
    <message>
        <source>two clients recompute the same miss</source>
        <translation>两个客户端为同一次未命中重算</translation>
    </message>
    <message>
        <source>all clients have finished or died, every lease is over, and the lock cannot be acquired</source>
        <translation>所有客户端都已结束或崩溃，所有租约都已结束，而锁仍然无法获取</translation>
    </message>
    <message>
        <source>the program uses its connections in changing order: after the same replies, one process sent %1 and another sent %2; let it use one connection, or each connection in a fixed order</source>
        <translation>程序使用各个连接的顺序不固定：在相同的应答之后，一个进程发送了 %1，另一个发送了 %2；请让它只用一个连接，或按固定的顺序使用每个连接</translation>
    </message>
    <message>
        <source>the program is not deterministic: after the same replies, one process sent %1 and another sent %2; it may act by chance, or order tokens, for example by &lt;: let it compare tokens only for equality</source>
        <translation>程序的行为不确定：在相同的应答之后，一个进程发送了 %1，另一个发送了 %2；它可能随机行事，或者比较令牌的大小，例如用 &lt;：请让它只比较令牌是否相等</translation>
    </message>
    <message>
        <source>the program is not deterministic: one process sent %1 and another sent %2; if these differ in a token, it is too short: let it use a token of at least 8 bytes, such as a UUID</source>
        <translation>程序的行为不确定：一个进程发送了 %1，另一个发送了 %2；如果不同之处是令牌，那么令牌太短：请让它使用至少 8 字节的令牌，例如 UUID</translation>
    </message>
    <message>
        <source>it holds no key that --lock names when it is inside</source>
        <translation>它在进入时没有持有 --lock 指定的任何键</translation>
    </message>
    <message>
        <source>less than 1 s</source>
        <translation>不到 1 秒</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>not a number between 0 and 1</source>
        <translation>不是 0 与 1 之间的数</translation>
    </message>
    <message>
        <source>two clients are inside at once after a failover</source>
        <translation>故障转移之后，两个客户端同时在里面</translation>
    </message>
    <message>
        <source>not a later one of the earlier commands on the same server</source>
        <translation>不是同一服务器上较早命令中更靠后的一条</translation>
    </message>
    <message>
        <source>a fault of a server cannot be played with client processes; explore --play plays it as it was recorded</source>
        <translation>服务器的故障无法用客户端进程播放；explore --play 按记录播放它</translation>
    </message>
    <message>
        <source>two clients are inside at once after a server&apos;s restart</source>
        <translation>服务器重启之后，两个客户端同时在里面</translation>
    </message>
    <message>
        <source>two clients are inside at once after a server&apos;s clock has jumped</source>
        <translation>服务器的时钟跳变之后，两个客户端同时在里面</translation>
    </message>
    <message>
        <source>the server is down</source>
        <translation>服务器已停机</translation>
    </message>
    <message>
        <source>no reply arrived</source>
        <translation>没有收到应答</translation>
    </message>
    <message>
        <source>two clients are inside at once after a client has not reached a server</source>
        <translation>某个客户端连不到某台服务器之后，两个客户端同时在里面</translation>
    </message>
    <message>
        <source>unknown finding &quot;%1&quot;; there are %2</source>
        <translation>未知的问题“%1”；现有 %2</translation>
    </message>
    <message>
        <source>unknown condition &quot;%1&quot;; there are %2</source>
        <translation>未知的条件“%1”；现有 %2</translation>
    </message>
    <message>
        <source>%1 takes no value</source>
        <translation>%1 不带值</translation>
    </message>
    <message>
        <source>%1 needs a value, such as %2</source>
        <translation>%1 需要一个值，例如 %2</translation>
    </message>
    <message>
        <source>blind is about the whole server and takes no pattern</source>
        <translation>blind 针对整个服务器，不带模式</translation>
    </message>
    <message>
        <source>taken over from a holder that had not released it</source>
        <translation>从尚未释放它的持有者手中夺走</translation>
    </message>
    <message>
        <source>held for %1, longer than %2</source>
        <translation>已持有 %1，超过 %2</translation>
    </message>
    <message>
        <source>one word for the reply must follow -&gt;</source>
        <translation>-&gt; 之后必须有一个表示应答的词</translation>
    </message>
    <message>
        <source>the command is missing</source>
        <translation>缺少命令</translation>
    </message>
    <message>
        <source>%1: not JSON: %2</source>
        <translation>%1：不是 JSON：%2</translation>
    </message>
    <message>
        <source>this member occurs twice</source>
        <translation>此成员出现了两次</translation>
    </message>
    <message>
        <source>possible locks with values that have not been read: %1</source>
        <translation>可能是锁、但值尚未读取的键：%1 个</translation>
    </message>
    <message>
        <source>it has ended without having sent a command to the server of REDIS_URL; for a program with a fixed port, use --fixed-port</source>
        <translation>它没有向 REDIS_URL 的服务器发过命令就结束了；若程序使用固定端口，请用 --fixed-port</translation>
    </message>
    <message>
        <source>it has sent no command that reads or writes a key for %n seconds and has not ended</source>
        <translation>它有 %n 秒没有发送读写键的命令，也没有结束</translation>
    </message>
    <message>
        <source>it sends %1 on a connection with subscriptions: let it subscribe on a connection of its own</source>
        <translation>它在有订阅的连接上发送 %1：请让它用单独的连接订阅</translation>
    </message>
    <message>
        <source>the program is not deterministic: after the same replies, one process sent %1 and another sent %2; its threads may act in changing order: let them wake up at different times, and let each thread use its own connection</source>
        <translation>程序不是确定性的：收到相同的回复后，一个进程发送了 %1，另一个发送了 %2；它的线程可能以不同的顺序运行：请让线程在不同的时刻醒来，并让每个线程使用自己的连接</translation>
    </message>
    <message>
        <source>a single client without faults ends with exit code %1, maybe because its JSON document counts as one token, which a script cannot read: let the documents of two processes differ only in strings of at least 8 bytes; %2</source>
        <translation>没有故障的单个客户端以退出码 %1 结束，可能是因为它的 JSON 文档被当作一个令牌，脚本无法读取：请让两个进程的文档只在至少 8 字节的字符串上不同；%2</translation>
    </message>
    <message>
        <source>it sends %1 over RESP3, which cannot be explored: let it use RESP2 for that, for example by protocol=2 or RESP: 2</source>
        <translation>它通过 RESP3 发送 %1，无法探索：请让它改用 RESP2，例如 protocol=2 或 RESP: 2</translation>
    </message>
    <message>
        <source>it sends a script with redis.setresp over RESP3, which cannot be explored: let the script use RESP2</source>
        <translation>它通过 RESP3 发送含有 redis.setresp 的脚本，无法探索：请让脚本使用 RESP2</translation>
    </message>
    <message>
        <source>lost at the failover</source>
        <translation>在故障转移时丢失</translation>
    </message>
    <message>
        <source>Failover: %1 is the primary of %2 now, instead of %3; locks that it does not know are lost, see History</source>
        <translation>故障转移：%1 现在是 %2 的主节点，取代 %3；它不知道的锁已丢失，见“历史”</translation>
    </message>
    <message>
        <source>Two clients, one lock</source>
        <translation>两个客户端，一把锁</translation>
    </message>
    <message>
        <source>One client holds the lock, the other waits. Crash the holder: the lease ends, and the other client has the lock.</source>
        <translation>一个客户端持有锁，另一个在等待。让持有者崩溃：租约到期，另一个客户端得到锁。</translation>
    </message>
    <message>
        <source>Watchdog</source>
        <translation>看门狗</translation>
    </message>
    <message>
        <source>The holder renews its lease. Pause it: it renews nothing, and the other client gets the lock.</source>
        <translation>持有者不断续期其租约。暂停它：它不再续期，另一个客户端得到锁。</translation>
    </message>
    <message>
        <source>Redlock on five servers</source>
        <translation>五台服务器上的 Redlock</translation>
    </message>
    <message>
        <source>The holder has the lock on most of five servers. Kill two of them: it still has a majority. Kill a third one.</source>
        <translation>持有者在五台服务器中的多数上持有锁。杀死其中两台：它仍占多数。再杀死第三台。</translation>
    </message>
    <message>
        <source>Paused holder, fencing</source>
        <translation>暂停的持有者，栅栏编号</translation>
    </message>
    <message>
        <source>The paused holder has lost its lease, and the other client has written. Resume the first client and let it write: its fencing number is too small.</source>
        <translation>暂停的持有者已失去租约，另一个客户端已经写入。恢复第一个客户端并让它写入：它的栅栏编号太小。</translation>
    </message>
    <message>
        <source>names the database &quot;%1&quot;, which is not a number from 0 on; a slash in the name of the primary is written %2</source>
        <translation>给出的数据库“%1”不是从 0 起的数字；主节点名称中的斜杠写作 %2</translation>
    </message>
    <message>
        <source>has the unknown scheme &quot;%1&quot;; there are redis://, rediss://, unix:// and redis+sentinel://</source>
        <translation>有未知的协议“%1”；有 redis://、rediss://、unix:// 和 redis+sentinel://</translation>
    </message>
    <message>
        <source>%1 is a sentinel, which has no keys: write its URL like %2, with the name of the primary</source>
        <translation>%1 是哨兵，没有键：URL 请写作 %2，其中写上主节点的名称</translation>
    </message>
    <message>
        <source>the sentinels disagree about the address of the primary &quot;%1&quot; (%2), and none of these servers can be used; the last one: %3</source>
        <translation>各哨兵对主节点“%1”的地址意见不一（%2），而这些服务器都不能用；最后一台：%3</translation>
    </message>
    <message>
        <source>the sentinel %1 names %2 as the primary &quot;%3&quot;, which cannot be used: %4</source>
        <translation>哨兵 %1 给出 %2 作为主节点“%3”，但它不能用：%4</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>none of the %1 sentinels names the primary &quot;%2&quot;: %3</source>
        <translation>%1 个哨兵都没有给出主节点“%2”：%3</translation>
    </message>
    <message>
        <source>%1 is not a primary now (ROLE says &quot;%2&quot;); a failover may be under way</source>
        <translation>%1 现在不是主节点（ROLE 回答“%2”）；可能正在故障转移</translation>
    </message>
    <message>
        <source>the sentinel %1 does not know a primary named &quot;%2&quot;</source>
        <translation>哨兵 %1 不知道名为“%2”的主节点</translation>
    </message>
    <message>
        <source>the sentinel %1 does not know a primary named &quot;%2&quot;; it knows %3</source>
        <translation>哨兵 %1 不知道名为“%2”的主节点；它知道 %3</translation>
    </message>
    <message>
        <source>%1 is not a sentinel but a server: write its URL like %2, or the address of a sentinel, usually with port 26379</source>
        <translation>%1 不是哨兵而是服务器：URL 请写作 %2，或写哨兵的地址，端口通常为 26379</translation>
    </message>
    <message>
        <source>the sentinel %1 named no address of the primary (%2)</source>
        <translation>哨兵 %1 没有给出主节点的地址（%2）</translation>
    </message>
    <message>
        <source>the sentinel %1 requires a password: add sentinel-password to the URL, or set LATCHKEY_SENTINEL_PASSWORD</source>
        <translation>哨兵 %1 要求密码：请在 URL 中加上 sentinel-password，或设置 LATCHKEY_SENTINEL_PASSWORD</translation>
    </message>
    <message>
        <source>the sentinel %1 rejects this user and password: check sentinel-user and sentinel-password</source>
        <translation>哨兵 %1 拒绝此用户和密码：请检查 sentinel-user 和 sentinel-password</translation>
    </message>
    <message>
        <source>lacks the host of a sentinel, as in %1</source>
        <translation>缺少哨兵的主机，应如 %1</translation>
    </message>
    <message>
        <source>lacks the name of the primary at its sentinels, as in %1</source>
        <translation>缺少主节点在哨兵处的名称，应如 %1</translation>
    </message>
    <message>
        <source>names the sentinel &quot;%1&quot; twice</source>
        <translation>把哨兵“%1”写了两次</translation>
    </message>
    <message>
        <source>failover: the sentinels name %1 as the primary now, instead of %2</source>
        <translation>故障转移：哨兵现在给出 %1 作为主节点，取代 %2</translation>
    </message>
    <message>
        <source>it connects to only one of %1 servers: let it read all addresses from REDIS_URLS or REDIS_HOSTS, or leave --servers out</source>
        <translation>它只连接了 %1 台服务器中的一台：请让它从 REDIS_URLS 或 REDIS_HOSTS 读取所有地址，或者去掉 --servers</translation>
    </message>
    <message>
        <source>keys of the cluster node %1 are missing: %2</source>
        <translation>缺少集群节点 %1 的键：%2</translation>
    </message>
    <message>
        <source>the server is a cluster node, and the keys of the other nodes are missing, because it does not name them: %1</source>
        <translation>服务器是集群的节点，缺少其他节点的键，因为它没有给出这些节点：%1</translation>
    </message>
    <message>
        <source>slots of the cluster that no node serves: %1; assign them, or start their node (CLUSTER INFO shows the state)</source>
        <translation>集群中没有节点负责的槽：%1；请分配它们，或启动它们的节点（CLUSTER INFO 显示状态）</translation>
    </message>
    <message>
        <source>slots moved between nodes of the cluster meanwhile, so keys may be missing; try again when they have moved</source>
        <translation>其间有槽在集群的节点之间移动，因此可能缺少键；请在移动结束后重试</translation>
    </message>
    <message>
        <source>the server is a cluster, and the keys &quot;%1&quot; and &quot;%2&quot; are in different slots; nothing was sent; a key with a hash tag such as {name} keeps them together</source>
        <translation>服务器是集群，而键“%1”和“%2”在不同的槽中；什么也没有发送；带哈希标签（例如 {name}）的键使它们在一起</translation>
    </message>
    <message>
        <source>the cluster names the node %1 for this key, and that address cannot be reached: %2</source>
        <translation>集群说这个键在节点 %1，而这个地址无法到达：%2</translation>
    </message>
    <message>
        <source>the server&apos;s answer to CLUSTER SLOTS is not one (%1)</source>
        <translation>服务器对 CLUSTER SLOTS 的应答不是有效的应答（%1）</translation>
    </message>
    <message>
        <source>the key &quot;%1&quot; beside a lock</source>
        <translation>一个锁旁边的键“%1”</translation>
    </message>
    <message>
        <source>&quot;%1&quot; and other keys beside %2 locks</source>
        <translation>“%1”以及其他 %2 个锁旁边的键</translation>
    </message>
    <message>
        <source>%1 is out of range</source>
        <translation>%1 超出范围</translation>
    </message>
    <message>
        <source>not all nodes of the cluster have been seen for %1: %2</source>
        <translation>已有 %1 没有看到集群的所有节点：%2</translation>
    </message>
    <message>
        <source>not all nodes of the cluster were seen for %1</source>
        <translation>有 %1 没有看到集群的所有节点</translation>
    </message>
    <message>
        <source>ends</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>ends with exit code %1</source>
        <translation>以退出码 %1 结束</translation>
    </message>
    <message>
        <source>hit</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>miss</source>
        <translation>未命中</translation>
    </message>
    <message>
        <source>must recompute</source>
        <translation>必须重算</translation>
    </message>
    <message>
        <source>gave up waiting</source>
        <translation>放弃等待</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>已写入</translation>
    </message>
    <message>
        <source>the guard was lost</source>
        <translation>守卫锁已丢失</translation>
    </message>
    <message>
        <source>a client waits for ever</source>
        <translation>有客户端永远等待</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>锁被占用</translation>
    </message>
    <message>
        <source>extended</source>
        <translation>已续期</translation>
    </message>
    <message>
        <source>not extended</source>
        <translation>未能续期</translation>
    </message>
    <message>
        <source>released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>not the owner</source>
        <translation>不是持有者</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>锁已不存在</translation>
    </message>
    <message>
        <source>%1 waits for ever</source>
        <translation>%1 永远等待</translation>
    </message>
    <message>
        <source>the lease of %1 ends</source>
        <translation>%1 的租约结束</translation>
    </message>
    <message>
        <source>the lifetime of %1 ends</source>
        <translation>%1 的生存时间结束</translation>
    </message>
    <message>
        <source>all clocks pass the deadline in %1</source>
        <translation>所有时钟都越过 %1 中的截止时间</translation>
    </message>
    <message>
        <source>%1 is the lock of %2</source>
        <translation>%1 是 %2 的锁</translation>
    </message>
    <message>
        <source>%1 listens for ever</source>
        <translation>%1 永远等待消息</translation>
    </message>
    <message>
        <source>%1 left without an expiry</source>
        <translation>留下没有过期时间的 %1</translation>
    </message>
    <message>
        <source>%1 comes after all others</source>
        <translation>%1 在其他所有客户端之后到来</translation>
    </message>
    <message>
        <source>a day goes by</source>
        <translation>过去一天</translation>
    </message>
    <message>
        <source>1 s goes by</source>
        <translation>过去 1 秒</translation>
    </message>
    <message>
        <source>%1 s go by</source>
        <translation>过去 %1 秒</translation>
    </message>
    <message>
        <source>%1 ms go by</source>
        <translation>过去 %1 毫秒</translation>
    </message>
    <message>
        <source>%1 while %2 waits in the server</source>
        <translation>%1，期间 %2 在服务器中等待</translation>
    </message>
    <message>
        <source>the lifetime of the field %1 of %2 ends</source>
        <translation>%2 的字段 %1 的生存时间结束</translation>
    </message>
    <message>
        <source>it lacks the write of step %1</source>
        <translation>它缺少第 %1 步的写入</translation>
    </message>
    <message>
        <source>it lacks the writes of steps %1</source>
        <translation>它缺少第 %1 步的写入</translation>
    </message>
    <message>
        <source>every lease from before the restart is over; the server can be reached again</source>
        <translation>重启之前的租约都已结束；服务器可以重新连接</translation>
    </message>
    <message>
        <source>a replica takes over</source>
        <translation>副本接管</translation>
    </message>
    <message>
        <source>the server&apos;s clock jumps forward</source>
        <translation>服务器的时钟向前跳变</translation>
    </message>
    <message>
        <source>the server restarts empty</source>
        <translation>服务器重启后为空</translation>
    </message>
    <message>
        <source>the server restarts with all its writes</source>
        <translation>服务器重启，所有写入都在</translation>
    </message>
    <message>
        <source>the server restarts</source>
        <translation>服务器重启</translation>
    </message>
    <message>
        <source>it cannot be reached until all leases are over</source>
        <translation>所有租约结束之前无法连接</translation>
    </message>
    <message>
        <source>the reply is lost</source>
        <translation>应答丢失</translation>
    </message>
    <message>
        <source>it does not reach the server</source>
        <translation>命令没有到达服务器</translation>
    </message>
    <message>
        <source>%1 on #%2</source>
        <translation>#%2 上%1</translation>
    </message>
    <message>
        <source>reads its clock: %1</source>
        <translation>读取自己的时钟：%1</translation>
    </message>
    <message>
        <source>reads its clock</source>
        <translation>读取自己的时钟</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>is told by #%1</source>
        <translation>收到 #%1 的消息</translation>
    </message>
    <message>
        <source>is told</source>
        <translation>收到消息</translation>
    </message>
    <message>
        <source>hangs up</source>
        <translation>断开连接</translation>
    </message>
    <message>
        <source>writes to the resource, with number %1</source>
        <translation>以编号 %1 写入资源</translation>
    </message>
    <message>
        <source>crash</source>
        <translation>崩溃</translation>
    </message>
    <message>
        <source>lapse</source>
        <translation>到期失效</translation>
    </message>
    <message>
        <source>failover</source>
        <translation>故障转移</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>outage</source>
        <translation>停机</translation>
    </message>
    <message>
        <source>return</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>clock jump</source>
        <translation>时钟跳变</translation>
    </message>
    <message>
        <source>%1 is inside</source>
        <translation>%1 在临界区内</translation>
    </message>
    <message>
        <source>%1: a client waits for ever</source>
        <translation>%1：有客户端永远等待</translation>
    </message>
    <message>
        <source>%1 breaks %2</source>
        <translation>%1 违反 %2</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1 → (no reply)</source>
        <translation>%1 →（没有应答）</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>(%1 %2)</source>
        <translation>（%1 %2）</translation>
    </message>
    <message>
        <source>(%1)</source>
        <translation>（%1）</translation>
    </message>
    <message>
        <source>%1%2</source>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>%1%2    — %3</source>
        <translation>%1%2    — %3</translation>
    </message>
    <message>
        <source>the recording ends here at its size limit; later events were not recorded</source>
        <translation>录制到此结束，已达到其大小上限；之后的事件没有录下</translation>
    </message>
    <message>
        <source>the server reported no changes for %1, so a key that came and went meanwhile may be missing</source>
        <translation>服务器有 %1 没有报告变化，期间短暂出现过的键可能缺失</translation>
    </message>
    <message>
        <source>no change events arrive</source>
        <translation>没有收到变化事件</translation>
    </message>
    <message>
        <source>this program was stopped, or its output blocked</source>
        <translation>本程序曾被停止，或其输出被阻塞</translation>
    </message>
    <message>
        <source>the reply to SET is neither OK nor nil, so it is unknown whether the lock was acquired</source>
        <translation>对 SET 的应答既不是 OK 也不是 nil，因此不知道是否已获取锁</translation>
    </message>
    <message>
        <source>the server has refused %1 for %2: %3</source>
        <translation>服务器拒绝 %1 已有 %2：%3</translation>
    </message>
    <message>
        <source>some values cannot be read: %1</source>
        <translation>部分值无法读取：%1</translation>
    </message>
    <message>
        <source>keys that were not judged: %1</source>
        <translation>没有评判的键：%1</translation>
    </message>
    <message>
        <source>keys may be missing: %1</source>
        <translation>可能缺少键：%1</translation>
    </message>
    <message>
        <source>%1 has failed for %2: %3</source>
        <translation>%1 失败已有 %2：%3</translation>
    </message>
    <message>
        <source>it takes its lock by removing an element of %1, and the server does not show who has it: --lock cannot name this key</source>
        <translation>它通过取走 %1 的一个元素来获得锁，服务器不显示该元素在谁手里：--lock 不能指定这个键</translation>
    </message>
    <message>
        <source>no key is a lock</source>
        <translation>没有任何键是锁</translation>
    </message>
    <message>
        <source>the lock is taken by removing an element of %1, and the server does not show who has it</source>
        <translation>锁是通过取走 %1 的一个元素获得的，服务器不显示该元素在谁手里</translation>
    </message>
    <message>
        <source>%1 repeats this for ever</source>
        <translation>%1 永远重复这一命令</translation>
    </message>
    <message>
        <source>clients repeat commands for ever</source>
        <translation>客户端永远重复同样的命令</translation>
    </message>
    <message>
        <source>time passes</source>
        <translation>时间流逝</translation>
    </message>
    <message>
        <source>Time passes for all clients.</source>
        <translation>所有客户端的时间都在流逝。</translation>
    </message>
    <message>
        <source>the key was written again, or only its expiry changed; the server does not report which (notify-keyspace-events)</source>
        <translation>键又被写入，或只是过期时间变了；服务器没有报告是哪一种（notify-keyspace-events）</translation>
    </message>
    <message>
        <source>keys may be missing or out of date: %1</source>
        <translation>键可能缺失或已过时：%1</translation>
    </message>
    <message>
        <source>keys may have been missing or out of date for %1</source>
        <translation>键可能缺失或已过时达 %1</translation>
    </message>
    <message>
        <source>the server is a replica, and its link to the primary %1 is down</source>
        <translation>服务器是副本，它与主节点 %1 的连接已断开</translation>
    </message>
    <message>
        <source>the replies do not match the requests</source>
        <translation>应答与请求不相符</translation>
    </message>
    <message>
        <source>it has run for %n seconds without a connection to the port of --fixed-port</source>
        <translation>它运行了 %n 秒，没有连接 --fixed-port 的端口</translation>
    </message>
    <message>
        <source>it has run for %n seconds without a connection to the server that it was given: let it read REDIS_URL, or REDIS_HOST and REDIS_PORT, or REDIS_SOCKET, from its environment, or give --fixed-port the port that it uses</source>
        <translation>它运行了 %n 秒，没有连接给它的服务器：让它从环境中读取 REDIS_URL，或 REDIS_HOST 和 REDIS_PORT，或 REDIS_SOCKET，或者用 --fixed-port 给出它使用的端口</translation>
    </message>
    <message>
        <source>it has waited for %n seconds without a request and has not ended: let it close its connections at its end, such as by quit() in Node.js</source>
        <translation>它等待了 %n 秒，没有发送请求，也没有结束：请让它在结束时关闭连接，例如在 Node.js 中调用 quit()</translation>
    </message>
    <message>
        <source>taken over by another holder</source>
        <translation>被其他持有者接管</translation>
    </message>
    <message>
        <source>seen %1 after its deadline</source>
        <translation>截止时间之后 %1 观察到</translation>
    </message>
    <message>
        <source>it ended with exit code %1 and did not connect to the server of REDIS_URL; %2</source>
        <translation>它以退出码 %1 结束，没有连接 REDIS_URL 的服务器；%2</translation>
    </message>
    <message>
        <source>%1; the nearest command is %2</source>
        <translation>%1；最接近的命令是 %2</translation>
    </message>
    <message>
        <source>a single client sends no command that matches --inside %1</source>
        <translation>单个客户端没有发送与 --inside %1 匹配的命令</translation>
    </message>
    <message>
        <source>a single client that has entered sends no command that matches --outside %1; leave --outside out if a client is inside until it ends</source>
        <translation>单个客户端进入之后没有发送与 --outside %1 匹配的命令；如果客户端直到结束都处于内部，请去掉 --outside</translation>
    </message>
    <message>
        <source>a single client does not use the key %1 of --resource</source>
        <translation>单个客户端没有使用 --resource 的键 %1</translation>
    </message>
    <message>
        <source>the lifetime of %1 ends while %2 sleeps</source>
        <translation>%1 的生存时间结束，此时 %2 正在休眠</translation>
    </message>
    <message>
        <source>the user may not read the key</source>
        <translation>该用户无权读取此键</translation>
    </message>
    <message>
        <source>unknown for %1: their times are too inexact</source>
        <translation>%1 次未知：其时间不够精确</translation>
    </message>
    <message>
        <source>the server has refused %1 of some keys for %2: %3</source>
        <translation>服务器拒绝部分键的 %1 已有 %2：%3</translation>
    </message>
    <message>
        <source>%1 failed for %2: %3</source>
        <translation>%1 失败，共 %2：%3</translation>
    </message>
    <message>
        <source>the server refused %1 for %2: %3</source>
        <translation>服务器拒绝 %1，共 %2：%3</translation>
    </message>
    <message>
        <source>many keys were deleted during the scan, so the found keys may be only a part: the server had %1 keys at the beginning and %2 at the end, and of %3 found keys %4 no longer exist</source>
        <translation>扫描期间有许多键被删除，所以找到的键可能只是一部分：服务器开始时有 %1 个键，结束时有 %2 个；找到的键中有 %3 个再次读取，其中 %4 个已不存在</translation>
    </message>
    <message>
        <source>%1 failed for %2, until %3 ago: %4</source>
        <translation>%1 失败，共 %2，直到 %3 之前：%4</translation>
    </message>
    <message>
        <source>the server refused %1 of some keys for %2, until %3 ago: %4</source>
        <translation>服务器拒绝部分键的 %1，共 %2，直到 %3 之前：%4</translation>
    </message>
    <message>
        <source>the server refused %1 for %2, until %3 ago: %4</source>
        <translation>服务器拒绝 %1，共 %2，直到 %3 之前：%4</translation>
    </message>
    <message>
        <source>%1 of %2 servers gave no usable answer, and could have completed the majority of %3: %4</source>
        <translation>%2 台服务器中有 %1 台没有给出可用的应答，而它们本可凑成 %3 台的多数：%4</translation>
    </message>
    <message>
        <source>%1 has sent %2 on another connection</source>
        <translation>%1 已在另一个连接上发送 %2</translation>
    </message>
    <message>
        <source>the server is a replica, and its primary is another one: %1</source>
        <translation>服务器是副本，它的主节点已换成另一个：%1</translation>
    </message>
    <message>
        <source>the recipe %1 needs the token that acquire gave</source>
        <translation>方案 %1 需要 acquire 给出的令牌</translation>
    </message>
    <message>
        <source>a client ends its retries only after more than %1, and so many are not followed; let it retry less often, or for ever</source>
        <translation>有客户端在超过 %1 次重试之后才停止重试，这么多次不会被跟踪；请让它减少重试次数，或者永远重试</translation>
    </message>
    <message>
        <source>it uses the process ID of another client to find out whether that process is alive, which is not explored</source>
        <translation>它使用另一个客户端的进程号来查明该进程是否存活，这一点不在探索范围之内</translation>
    </message>
    <message>
        <source>another client holds it</source>
        <translation>现在由别的客户端持有</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>锁已经不在了</translation>
    </message>
    <message>
        <source>its lease could not be renewed (%1)</source>
        <translation>无法为其租约续期（%1）</translation>
    </message>
    <message>
        <source>its lease could not be renewed</source>
        <translation>无法为其租约续期</translation>
    </message>
    <message>
        <source>another client has shortened its lease</source>
        <translation>另一个客户端缩短了它的租约</translation>
    </message>
    <message>
        <source>its lease has ended, and the recipe %1 cannot extend it</source>
        <translation>租约已结束，而方案 %1 不能续期</translation>
    </message>
    <message>
        <source>its lease has ended and could not be renewed (%1)</source>
        <translation>租约已结束且无法续期（%1）</translation>
    </message>
    <message>
        <source>its lease ended while this process was stopped or too slow to renew it</source>
        <translation>租约在本进程被停止或来不及续期时结束</translation>
    </message>
    <message>
        <source>the server has refused to show values for %1, so holders are not reported: %2</source>
        <translation>服务器拒绝显示值已有 %1，所以不报告持有者：%2</translation>
    </message>
    <message>
        <source>values of one type cannot be read, so the locks with such a value and their holders are not reported: %1</source>
        <translation>某一类型的值无法读取，所以不报告以这种值存放的锁及其持有者：%1</translation>
    </message>
    <message>
        <source>the server executed FLUSHALL, FLUSHDB or SWAPDB during the scan, perhaps in another database, so keys may be missing</source>
        <translation>扫描期间服务器执行了 FLUSHALL、FLUSHDB 或 SWAPDB（可能是在别的数据库），所以可能缺少一些键</translation>
    </message>
    <message>
        <source>keys were renamed during the scan (RENAME: %1), perhaps in another database, so renamed keys may be missing</source>
        <translation>扫描期间有键被改名（RENAME：%1，可能是在别的数据库），所以可能缺少改了名的键</translation>
    </message>
    <message>
        <source>before that, nothing was seen for %1</source>
        <translation>在此之前，有 %1 什么也没看到</translation>
    </message>
    <message>
        <source>%1 sends %2, and is answered %3. (The servers here have no replicas.)</source>
        <translation>%1 发送 %2，得到应答 %3。（这里的服务器没有副本。）</translation>
    </message>
    <message>
        <source>%1 sends %2, which does not reach the server. (The client here does not send it.)</source>
        <translation>%1 发送 %2，但没有到达服务器。（这里的客户端不发送它。）</translation>
    </message>
    <message>
        <source>server %1 loses its last writes</source>
        <translation>服务器 %1 丢失最后的写入</translation>
    </message>
    <message>
        <source>server %1 loses all keys</source>
        <translation>服务器 %1 丢失所有键</translation>
    </message>
    <message>
        <source>the clock of server %1 jumps forward</source>
        <translation>服务器 %1 的时钟向前跳变</translation>
    </message>
    <message>
        <source>Fault: %1. (The player has changed the keys of the server.)</source>
        <translation>故障：%1。（播放器已改变服务器的键。）</translation>
    </message>
    <message>
        <source>Fault of server #%1: %2. (The player has changed the keys of the server.)</source>
        <translation>服务器 #%1 的故障：%2。（播放器已改变服务器的键。）</translation>
    </message>
    <message>
        <source>the recipe %1 needs a replica, which the servers of a story do not have; explore --play plays it as it was recorded</source>
        <translation>方案 %1 需要副本，而故事的服务器没有副本；explore --play 按记录播放它</translation>
    </message>
    <message>
        <source>no replica confirmed the lock within %1, so it was released</source>
        <translation>在 %1 之内没有副本确认锁，所以已将其释放</translation>
    </message>
    <message>
        <source>Token, confirmed by a replica</source>
        <translation>令牌，由副本确认</translation>
    </message>
    <message>
        <source>After SET, WAIT 1 asks whether a replica has the lock; if none has, the client releases it. With one replica, the lock survives a failover.</source>
        <translation>SET 之后，WAIT 1 询问是否有副本拥有锁；如果没有，客户端就释放它。只有一个副本时，锁在故障转移之后仍然存在。</translation>
    </message>
    <message>
        <source>With two replicas, the one without the lock may be promoted. Without a replica, no client gets the lock.</source>
        <translation>有两个副本时，没有锁的那个副本可能接管。没有副本时，任何客户端都得不到锁。</translation>
    </message>
    <message>
        <source>no replica confirmed the lock, and it could not be released</source>
        <translation>没有副本确认锁，也无法释放它</translation>
    </message>
    <message>
        <source>the server refuses to read the key</source>
        <translation>服务器拒绝读取该键</translation>
    </message>
    <message>
        <source>not all keys of the server are known</source>
        <translation>并非服务器的全部键都已知</translation>
    </message>
    <message>
        <source>%1 is a node of a cluster, and its nodes are not independent servers: give the URL of one node</source>
        <translation>%1 是集群的节点，集群的节点不是独立的服务器：请只给出一个节点的 URL</translation>
    </message>
    <message>
        <source>%1 and %2 are the same server</source>
        <translation>%1 和 %2 是同一台服务器</translation>
    </message>
    <message>
        <source>a majority has this value, which names no holder</source>
        <translation>多数服务器上是这个值，而它没有记下持有者</translation>
    </message>
    <message>
        <source>a majority needs %1, and not all servers are known</source>
        <translation>多数需要 %1 票，而并非所有服务器都已应答</translation>
    </message>
    <message>
        <source>a majority</source>
        <translation>达到多数</translation>
    </message>
    <message>
        <source>no majority, which needs %1</source>
        <translation>未达多数，多数需要 %1 票</translation>
    </message>
    <message>
        <source>the key was not read again yet</source>
        <translation>尚未再次读取该键</translation>
    </message>
    <message>
        <source>not all keys were read yet</source>
        <translation>尚未读取全部键</translation>
    </message>
    <message>
        <source>the group &quot;%1&quot;</source>
        <translation>组“%1”</translation>
    </message>
    <message>
        <source>no server is saved as &quot;%1&quot;: save it, or take it out of the group</source>
        <translation>没有保存名为“%1”的服务器：请保存它，或从组中移除它</translation>
    </message>
    <message>
        <source>the server %1 is twice in it: each server has one vote</source>
        <translation>服务器 %1 在其中出现了两次：每台服务器只有一票</translation>
    </message>
    <message>
        <source>it needs at least two servers</source>
        <translation>至少需要两台服务器</translation>
    </message>
    <message>
        <source>another group is called &quot;%1&quot; already</source>
        <translation>已有另一个组名为“%1”</translation>
    </message>
    <message>
        <source>unknown order &quot;%1&quot;; there are acquire, release, extend, put, get, recompute, send, write, go, clock, lose-reply, reconnect and quit</source>
        <translation>未知的指令“%1”；有 acquire、release、extend、put、get、recompute、send、write、go、clock、lose-reply、reconnect 和 quit</translation>
    </message>
    <message>
        <source>cannot listen for a replica on the loopback address: %1</source>
        <translation>不能在回环地址上监听副本的连接：%1</translation>
    </message>
    <message>
        <source>a replica takes over for server %1</source>
        <translation>副本接管服务器 %1</translation>
    </message>
    <message>
        <source>server %1 restarts with its saved data</source>
        <translation>服务器 %1 带着已保存的数据重启</translation>
    </message>
    <message>
        <source>server %1 restarts, empty</source>
        <translation>服务器 %1 重启后为空</translation>
    </message>
    <message>
        <source>replica %1 of server %2 is cut off</source>
        <translation>服务器 %2 的副本 %1 被切断</translation>
    </message>
    <message>
        <source>server %1 is killed, and its replica %2 is promoted</source>
        <translation>服务器 %1 被杀死，它的副本 %2 被提升</translation>
    </message>
    <message>
        <source>more than %1 servers, with their replicas</source>
        <translation>服务器连同副本多于 %1 台</translation>
    </message>
    <message>
        <source>replica %1 has been promoted already</source>
        <translation>副本 %1 已经被提升</translation>
    </message>
    <message>
        <source>replica %1 does not follow its server any more</source>
        <translation>副本 %1 不再跟随它的服务器</translation>
    </message>
    <message>
        <source>the servers of the story have no replicas</source>
        <translation>故事的服务器没有副本</translation>
    </message>
    <message>
        <source>%1 was restarted with its saved data</source>
        <translation>%1 带着已保存的数据重启</translation>
    </message>
    <message>
        <source>%1: a replica has taken over</source>
        <translation>%1：副本已接管</translation>
    </message>
    <message>
        <source>%1: the clock has jumped forward</source>
        <translation>%1：时钟向前跳变</translation>
    </message>
    <message>
        <source>restarted</source>
        <translation>已重启</translation>
    </message>
    <message>
        <source>the entry &quot;%1&quot; of the address map is not of the form INNER=OUTER, as in 10.0.0.1:7000=localhost:17000</source>
        <translation>地址映射的条目“%1”不是 INNER=OUTER 的形式，例如 10.0.0.1:7000=localhost:17000</translation>
    </message>
    <message>
        <source>the entry &quot;%1&quot; of the address map has the invalid address &quot;%2&quot;; an address is a host, or a host and a port from 1 to 65535, with brackets around an IPv6 address</source>
        <translation>地址映射的条目“%1”含有无效的地址“%2”；地址是主机，或主机加 1 到 65535 的端口，IPv6 地址写在方括号中</translation>
    </message>
    <message>
        <source>the address map has two entries for &quot;%1&quot;</source>
        <translation>地址映射中“%1”有两个条目</translation>
    </message>
    <message>
        <source>%1; ?map= in the URL gives this address for the announced %2</source>
        <translation>%1；这是 URL 中的 ?map= 为公布的 %2 给出的地址</translation>
    </message>
    <message>
        <source>%1; if this machine reaches the announced address %2 elsewhere, add ?map=%2=HOST:PORT to the URL</source>
        <translation>%1；如果本机在别处到达公布的地址 %2，请在 URL 中添加 ?map=%2=HOST:PORT</translation>
    </message>
    <message>
        <source>has the unknown option &quot;%1&quot;; there are db, ssh and map</source>
        <translation>含有未知的选项“%1”；可用的有 db、ssh 和 map</translation>
    </message>
    <message>
        <source>has the unknown option &quot;%1&quot;; there are sentinel-user, sentinel-password, ssh, proxy and map, and with TLS cacert, cert, key, sni and pin</source>
        <translation>含有未知的选项“%1”；可用的有 sentinel-user、sentinel-password、ssh、proxy 和 map，使用 TLS 时还有 cacert、cert、key、sni 和 pin</translation>
    </message>
    <message>
        <source>has the unknown option &quot;%1&quot;; there are cacert, cert, key, sni, pin, ssh, proxy and map</source>
        <translation>含有未知的选项“%1”；可用的有 cacert、cert、key、sni、pin、ssh、proxy 和 map</translation>
    </message>
    <message>
        <source>has the unknown option &quot;%1&quot;; there are ssh, proxy and map, and the database follows the host, as in redis://host/2</source>
        <translation>含有未知的选项“%1”；可用的有 ssh、proxy 和 map，数据库写在主机之后，例如 redis://host/2</translation>
    </message>
    <message>
        <source>the sentinels disagree about the primary &quot;%1&quot; (%2); %3 is used; compare what they monitor under this name</source>
        <translation>各哨兵对主节点“%1”意见不一（%2）；使用 %3；请比较它们以此名称监视的服务器</translation>
    </message>
    <message>
        <source>redis-cli --cluster check HOST:PORT shows the slots that no node serves</source>
        <translation>redis-cli --cluster check HOST:PORT 列出没有节点负责的槽</translation>
    </message>
    <message>
        <source>no process can be forked</source>
        <translation>无法复制（fork）进程</translation>
    </message>
    <message>
        <source>it behaves differently if it is forked from another process</source>
        <translation>由另一个进程复制（fork）而来时，它的行为不同</translation>
    </message>
    <message>
        <source>it is larger than %1 bytes</source>
        <translation>大于 %1 字节</translation>
    </message>
</context>
<context>
    <name>dialects</name>
    <message>
        <source>Bee-Queue jobs at work</source>
        <translation>Bee-Queue 进行中的任务</translation>
    </message>
    <message>
        <source>Bottleneck jobs at work</source>
        <translation>Bottleneck 进行中的任务</translation>
    </message>
    <message>
        <source>Bull job</source>
        <translation>Bull 任务</translation>
    </message>
    <message>
        <source>BullMQ job</source>
        <translation>BullMQ 任务</translation>
    </message>
    <message>
        <source>Celery cookbook lock by Django&apos;s cache.add</source>
        <translation>Celery 手册中用 Django cache.add 的锁</translation>
    </message>
    <message>
        <source>Celery/kombu unacked_mutex</source>
        <translation>Celery/kombu unacked_mutex</translation>
    </message>
    <message>
        <source>Dapr distributed lock</source>
        <translation>Dapr 分布式锁</translation>
    </message>
    <message>
        <source>DistributedLock.Redis (Medallion)</source>
        <translation>DistributedLock.Redis (Medallion)</translation>
    </message>
    <message>
        <source>FreeRedis or CSRedis Lock</source>
        <translation>FreeRedis 或 CSRedis Lock</translation>
    </message>
    <message>
        <source>GitLab ExclusiveLease</source>
        <translation>GitLab ExclusiveLease</translation>
    </message>
    <message>
        <source>Hangfire.Redis</source>
        <translation>Hangfire.Redis</translation>
    </message>
    <message>
        <source>Laravel Cache::lock</source>
        <translation>Laravel Cache::lock</translation>
    </message>
    <message>
        <source>Laravel Redis::funnel</source>
        <translation>Laravel Redis::funnel</translation>
    </message>
    <message>
        <source>Laravel unique or overlapping job</source>
        <translation>Laravel 唯一任务或防重叠任务</translation>
    </message>
    <message>
        <source>Latchkey fenced</source>
        <translation>Latchkey fenced</translation>
    </message>
    <message>
        <source>Latchkey token</source>
        <translation>Latchkey token</translation>
    </message>
    <message>
        <source>RedLock.net</source>
        <translation>RedLock.net</translation>
    </message>
    <message>
        <source>Redisson FasterMultiLock</source>
        <translation>Redisson FasterMultiLock</translation>
    </message>
    <message>
        <source>Redisson RCountDownLatch</source>
        <translation>Redisson RCountDownLatch</translation>
    </message>
    <message>
        <source>Redisson RFairLock</source>
        <translation>Redisson RFairLock</translation>
    </message>
    <message>
        <source>Redisson RFencedLock</source>
        <translation>Redisson RFencedLock</translation>
    </message>
    <message>
        <source>Redisson RLock</source>
        <translation>Redisson RLock</translation>
    </message>
    <message>
        <source>Redisson RPermitExpirableSemaphore</source>
        <translation>Redisson RPermitExpirableSemaphore</translation>
    </message>
    <message>
        <source>Redisson RReadWriteLock</source>
        <translation>Redisson RReadWriteLock</translation>
    </message>
    <message>
        <source>Redisson RSemaphore</source>
        <translation>Redisson RSemaphore</translation>
    </message>
    <message>
        <source>Redisson RSpinLock</source>
        <translation>Redisson RSpinLock</translation>
    </message>
    <message>
        <source>ShedLock</source>
        <translation>ShedLock</translation>
    </message>
    <message>
        <source>Sidekiq leader</source>
        <translation>Sidekiq 领导者</translation>
    </message>
    <message>
        <source>Sidekiq process</source>
        <translation>Sidekiq 进程</translation>
    </message>
    <message>
        <source>SimpleRedisLock of the Chinese tutorials</source>
        <translation>中文教程中的 SimpleRedisLock</translation>
    </message>
    <message>
        <source>Spring Integration RedisLockRegistry</source>
        <translation>Spring Integration RedisLockRegistry</translation>
    </message>
    <message>
        <source>StackExchange.Redis LockTake</source>
        <translation>StackExchange.Redis LockTake</translation>
    </message>
    <message>
        <source>Symfony Lock</source>
        <translation>Symfony Lock</translation>
    </message>
    <message>
        <source>aioredlock</source>
        <translation>aioredlock</translation>
    </message>
    <message>
        <source>async-redis-lock</source>
        <translation>async-redis-lock</translation>
    </message>
    <message>
        <source>asynq leases of tasks at work</source>
        <translation>asynq 进行中任务的租约</translation>
    </message>
    <message>
        <source>asynq unique task</source>
        <translation>asynq 唯一任务</translation>
    </message>
    <message>
        <source>bsm/redislock</source>
        <translation>bsm/redislock</translation>
    </message>
    <message>
        <source>celery-once</source>
        <translation>celery-once</translation>
    </message>
    <message>
        <source>celery-redbeat scheduler</source>
        <translation>celery-redbeat 调度器</translation>
    </message>
    <message>
        <source>celery-singleton</source>
        <translation>celery-singleton</translation>
    </message>
    <message>
        <source>django-redis cache.lock()</source>
        <translation>django-redis cache.lock()</translation>
    </message>
    <message>
        <source>dogpile.cache</source>
        <translation>dogpile.cache</translation>
    </message>
    <message>
        <source>go-zero RedisLock</source>
        <translation>go-zero RedisLock</translation>
    </message>
    <message>
        <source>gocraft/work jobs at work</source>
        <translation>gocraft/work 进行中的任务</translation>
    </message>
    <message>
        <source>gocraft/work unique job</source>
        <translation>gocraft/work 唯一任务</translation>
    </message>
    <message>
        <source>ioredis-lock</source>
        <translation>ioredis-lock</translation>
    </message>
    <message>
        <source>lock4j</source>
        <translation>lock4j</translation>
    </message>
    <message>
        <source>node-redlock 4</source>
        <translation>node-redlock 4</translation>
    </message>
    <message>
        <source>node-redlock 5</source>
        <translation>node-redlock 5</translation>
    </message>
    <message>
        <source>node-resque</source>
        <translation>node-resque</translation>
    </message>
    <message>
        <source>php-lock</source>
        <translation>php-lock</translation>
    </message>
    <message>
        <source>pottery Redlock</source>
        <translation>pottery Redlock</translation>
    </message>
    <message>
        <source>python-redis-lock</source>
        <translation>python-redis-lock</translation>
    </message>
    <message>
        <source>redis++ RedMutex or RedLock</source>
        <translation>redis++ RedMutex 或 RedLock</translation>
    </message>
    <message>
        <source>redis-lock of npm</source>
        <translation>npm 的 redis-lock</translation>
    </message>
    <message>
        <source>redis-mutex of Ruby</source>
        <translation>Ruby 的 redis-mutex</translation>
    </message>
    <message>
        <source>redis-objects Lock</source>
        <translation>redis-objects Lock</translation>
    </message>
    <message>
        <source>redis-py Lock</source>
        <translation>redis-py Lock</translation>
    </message>
    <message>
        <source>redis-semaphore</source>
        <translation>redis-semaphore</translation>
    </message>
    <message>
        <source>redlock of Ruby</source>
        <translation>Ruby 的 redlock</translation>
    </message>
    <message>
        <source>redlock-php</source>
        <translation>redlock-php</translation>
    </message>
    <message>
        <source>redlock-py</source>
        <translation>redlock-py</translation>
    </message>
    <message>
        <source>redlock-universal</source>
        <translation>redlock-universal</translation>
    </message>
    <message>
        <source>redsync</source>
        <translation>redsync</translation>
    </message>
    <message>
        <source>resque-lock</source>
        <translation>resque-lock</translation>
    </message>
    <message>
        <source>resque-lock-timeout</source>
        <translation>resque-lock-timeout</translation>
    </message>
    <message>
        <source>resque-scheduler master</source>
        <translation>resque-scheduler 主进程</translation>
    </message>
    <message>
        <source>rslock or redlock-rs</source>
        <translation>rslock 或 redlock-rs</translation>
    </message>
    <message>
        <source>sidekiq-unique-jobs 9</source>
        <translation>sidekiq-unique-jobs 9</translation>
    </message>
    <message>
        <source>sidekiq-unique-jobs</source>
        <translation>sidekiq-unique-jobs</translation>
    </message>
    <message>
        <source>suo</source>
        <translation>suo</translation>
    </message>
    <message>
        <source>walrus Lock</source>
        <translation>walrus Lock</translation>
    </message>
    <message>
        <source>@sesamecare-oss/redlock</source>
        <translation>@sesamecare-oss/redlock</translation>
    </message>
    <message>
        <source>OpenStack tooz</source>
        <translation>OpenStack tooz</translation>
    </message>
    <message>
        <source>redis-semaphore of npm</source>
        <translation>npm 的 redis-semaphore</translation>
    </message>
    <message>
        <source>redis-semaphore of npm, mutex</source>
        <translation>npm 的 redis-semaphore，互斥锁</translation>
    </message>
    <message>
        <source>simple-redis-mutex</source>
        <translation>simple-redis-mutex</translation>
    </message>
    <message>
        <source>warlock</source>
        <translation>warlock</translation>
    </message>
    <message>
        <source>acquire_lock_with_timeout of &quot;Redis in Action&quot;</source>
        <translation>《Redis 实战》中的 acquire_lock_with_timeout</translation>
    </message>
    <message>
        <source>Lock with a constant value</source>
        <translation>值为常量的锁</translation>
    </message>
    <message>
        <source>Lock with a deadline value</source>
        <translation>值为截止时间的锁</translation>
    </message>
    <message>
        <source>Lock with a holder name</source>
        <translation>记有持有者名称的锁</translation>
    </message>
    <message>
        <source>Semaphore, library unknown</source>
        <translation>信号量，库未知</translation>
    </message>
    <message>
        <source>Token lock, library unknown</source>
        <translation>令牌锁，库未知</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::actions::ActionRegistry</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Selected keys</source>
        <translation>所选的键</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>演练场</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Stories</source>
        <translation>故事</translation>
    </message>
    <message>
        <source>Expiry lab</source>
        <translation>过期实验室</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::alerts::AlertRulesForm</name>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>添加(&amp;A)</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>An alert is raised if</source>
        <translation>触发警报的条件</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>all keys, or a pattern such as lock:*</source>
        <translation>所有键，或如 lock:* 的模式</translation>
    </message>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>too many holders</source>
        <translation>持有者过多</translation>
    </message>
    <message>
        <source>held for longer than</source>
        <translation>持有超过</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>no answer for</source>
        <translation>无应答超过</translation>
    </message>
    <message>
        <source>the time must be longer than zero</source>
        <translation>时间必须大于零</translation>
    </message>
    <message>
        <source>This rule exists already.</source>
        <translation>该规则已存在。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::alerts::AlertsDialog</name>
    <message>
        <source>&amp;Show the key</source>
        <translation>显示该键(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>C&amp;lear those that are over</source>
        <translation>清除已结束的(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Notify on the desktop while this window is in the background</source>
        <translation>此窗口在后台时在桌面上通知(&amp;N)</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>Raised</source>
        <translation>触发于</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Lasts</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>Cl&amp;ose</source>
        <translation>关闭(&amp;O)</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Rules for %1</source>
        <translation>%1 的规则</translation>
    </message>
    <message>
        <source>No alerts. A lock that meets a rule below is listed here, of every server that the window watches.</source>
        <translation>没有警报。窗口所观察的每个服务器上符合下列规则的锁都会列在这里。</translation>
    </message>
    <message>
        <source>The desktop shows no notifications: %1.</source>
        <translation>桌面不显示通知：%1。</translation>
    </message>
    <message>
        <source>The server is no longer watched</source>
        <translation>不再观察该服务器</translation>
    </message>
    <message>
        <source>and play a &amp;tone</source>
        <translation>并播放提示音(&amp;T)</translation>
    </message>
    <message>
        <source>Alerts may be missing, because not everything is seen now: %1.</source>
        <translation>现在并非一切可见，警报可能有遗漏：%1。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::commandlog::CommandLogView</name>
    <message>
        <source>Commands and replies</source>
        <translation>命令与应答</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections</name>
    <message>
        <source>development</source>
        <translation>开发</translation>
    </message>
    <message>
        <source>staging</source>
        <translation>预发布</translation>
    </message>
    <message>
        <source>production</source>
        <translation>生产</translation>
    </message>
    <message>
        <source>red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>orange</source>
        <translation>橙色</translation>
    </message>
    <message>
        <source>green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>violet</source>
        <translation>紫色</translation>
    </message>
    <message>
        <source>Role: master, replicas: %1.</source>
        <translation>角色：主服务器，副本：%1。</translation>
    </message>
    <message>
        <source>Role: master without replicas.</source>
        <translation>角色：主服务器，没有副本。</translation>
    </message>
    <message>
        <source>Role: replica of %1.</source>
        <translation>角色：%1 的副本。</translation>
    </message>
    <message>
        <source>Role: %1.</source>
        <translation>角色：%1。</translation>
    </message>
    <message>
        <source>Role: not known, because ROLE is refused.</source>
        <translation>角色：未知，因为 ROLE 被拒绝。</translation>
    </message>
    <message>
        <source>It is a node of a cluster.</source>
        <translation>它是集群的一个节点。</translation>
    </message>
    <message>
        <source>Keys: %1.</source>
        <translation>键：%1。</translation>
    </message>
    <message>
        <source>User: %1.</source>
        <translation>用户：%1。</translation>
    </message>
    <message>
        <source>Keys, expiries, types and values can be read.</source>
        <translation>可以读取键、过期时间、类型和值。</translation>
    </message>
    <message>
        <source>Refused: %1.</source>
        <translation>被拒绝：%1。</translation>
    </message>
    <message>
        <source>DEL and PEXPIRE are permitted.</source>
        <translation>允许 DEL 和 PEXPIRE。</translation>
    </message>
    <message>
        <source>DEL or PEXPIRE is refused.</source>
        <translation>DEL 或 PEXPIRE 被拒绝。</translation>
    </message>
    <message>
        <source>Rights to write: not known, because the server does not answer ACL DRYRUN.</source>
        <translation>写入权限：未知，因为服务器不应答 ACL DRYRUN。</translation>
    </message>
    <message>
        <source>Events: keyspace notifications are on.</source>
        <translation>事件：键空间通知已开启。</translation>
    </message>
    <message>
        <source>Events: client tracking.</source>
        <translation>事件：客户端跟踪。</translation>
    </message>
    <message>
        <source>Events: none. Changes are found by polling only, and short holds can be missed.</source>
        <translation>事件：无。只能靠轮询发现变化，短暂的持有可能会漏掉。</translation>
    </message>
    <message>
        <source>Possible: watching, but incomplete.</source>
        <translation>可以：观察，但不完整。</translation>
    </message>
    <message>
        <source>Possible: watching. Release, Delete and Set expiry are not possible.</source>
        <translation>可以：观察。不能释放、删除和设置过期时间。</translation>
    </message>
    <message>
        <source>Possible: watching; Release, Delete and Set expiry after you allow writes.</source>
        <translation>可以：观察；允许写入之后可以释放、删除和设置过期时间。</translation>
    </message>
    <message>
        <source>Possible: watching. Whether Release, Delete and Set expiry are possible is not known.</source>
        <translation>可以：观察。能否释放、删除和设置过期时间未知。</translation>
    </message>
    <message>
        <source>The server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>%1 answers within %2 ms.</source>
        <translation>%1 在 %2 毫秒内应答。</translation>
    </message>
    <message>
        <source>some values</source>
        <translation>部分值</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::ConnectionTest</name>
    <message>
        <source>Waiting for the keychain…</source>
        <translation>正在等待钥匙串…</translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation>正在尝试…</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::EndpointForm</name>
    <message>
        <source>TLS</source>
        <translation>TLS</translation>
    </message>
    <message>
        <source>host and port</source>
        <translation>主机和端口</translation>
    </message>
    <message>
        <source>Unix socket</source>
        <translation>Unix 套接字</translation>
    </message>
    <message>
        <source>How the server is reached</source>
        <translation>到达服务器的方式</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Path of the Unix socket</source>
        <translation>Unix 套接字的路径</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Encrypts the connection and verifies the certificate of the server</source>
        <translation>加密连接，并验证服务器的证书</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>SSH host</source>
        <translation>SSH 主机</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Host to log in to with ssh, such as ann@bastion:2222; the server&apos;s address is as seen from there</source>
        <translation>用 ssh 登录的主机，例如 ann@bastion:2222；服务器的地址是从那里看到的地址</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>URL of a proxy: socks5://host:port or http://host:port</source>
        <translation>代理的 URL：socks5://host:port 或 http://host:port</translation>
    </message>
    <message>
        <source>&amp;Host</source>
        <translation>主机(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Database</source>
        <translation>数据库(&amp;D)</translation>
    </message>
    <message>
        <source>SSH h&amp;ost</source>
        <translation>SSH 主机(&amp;O)</translation>
    </message>
    <message>
        <source>Prox&amp;y</source>
        <translation>代理(&amp;Y)</translation>
    </message>
    <message>
        <source>Address map</source>
        <translation>地址映射</translation>
    </message>
    <message>
        <source>Where the addresses that a cluster or sentinels announce are reached, such as 10.0.0.1:7000=localhost:17000,10.0.0.2=db.example</source>
        <translation>集群或哨兵公布的地址在何处到达，例如 10.0.0.1:7000=localhost:17000,10.0.0.2=db.example</translation>
    </message>
    <message>
        <source>Address &amp;map</source>
        <translation>地址映射(&amp;M)</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::GroupDialog</name>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save a redlock group</source>
        <translation>保存 Redlock 组</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>Saved servers</source>
        <translation>已保存的服务器</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <comment>name and address</comment>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>redis://a redis://b:6380</source>
        <translation>redis://a redis://b:6380</translation>
    </message>
    <message>
        <source>URLs of servers that are not saved, separated by spaces</source>
        <translation>未保存的服务器的 URL，以空格分隔</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>Saved se&amp;rvers</source>
        <translation>已保存的服务器(&amp;R)</translation>
    </message>
    <message>
        <source>Other &amp;URLs</source>
        <translation>其他 URL(&amp;U)</translation>
    </message>
    <message>
        <source>Each server of the group has one vote for the holder of a lock.</source>
        <translation>组中的每台服务器对锁的持有者有一票。</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>Connects to each server, and shows its version, its role, the rights of the user and what is possible</source>
        <translation>连接每台服务器，显示其版本、角色、用户的权限和能做什么</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>测试结果</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::GroupTest</name>
    <message>
        <source>%1: %2</source>
        <comment>name and result</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Whether these servers are different ones could not be told, because they refuse INFO: %1.</source>
        <translation>这些服务器拒绝 INFO，无法判断它们是否是不同的服务器：%1。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>%1 of %2 servers answer, and a majority needs %3: no lock can be acquired now.</source>
        <translation>%2 台服务器中有 %1 台应答，而多数需要 %3 台：现在无法获取锁。</translation>
    </message>
    <message>
        <source>%1 of %2 servers answer; a majority needs %3.</source>
        <translation>%2 台服务器中有 %1 台应答；多数需要 %3 台。</translation>
    </message>
    <message>
        <source>All %1 servers answer, and they are different ones; a majority needs %2.</source>
        <translation>全部 %1 台服务器都有应答，而且各不相同；多数需要 %2 台。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::ServerDialog</name>
    <message>
        <source>socket %1</source>
        <translation>套接字 %1</translation>
    </message>
    <message>
        <source>host %1, port %2</source>
        <translation>主机 %1，端口 %2</translation>
    </message>
    <message>
        <source>with TLS</source>
        <translation>使用 TLS</translation>
    </message>
    <message>
        <source>database %1</source>
        <translation>数据库 %1</translation>
    </message>
    <message>
        <source>as the default user</source>
        <translation>以默认用户的身份</translation>
    </message>
    <message>
        <source>as %1</source>
        <translation>以 %1 的身份</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>orders, production</source>
        <translation>订单，生产</translation>
    </message>
    <message>
        <source>A URL, or a redis-cli command line</source>
        <translation>URL，或 redis-cli 的命令行</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Environment</source>
        <translation>环境(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Group</source>
        <translation>分组(&amp;G)</translation>
    </message>
    <message>
        <source>Co&amp;lour</source>
        <translation>颜色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Copied, for a server of version 7.0 or later. After a test it is the line for that server&apos;s version.</source>
        <translation>已复制，适用于 7.0 或更高版本的服务器。测试之后，则是适合该服务器版本的行。</translation>
    </message>
    <message>
        <source>Copied, for version %1.</source>
        <translation>已复制，适用于版本 %1。</translation>
    </message>
    <message>
        <source>&amp;Keep the password in the keychain</source>
        <translation>在钥匙串中保存密码(&amp;K)</translation>
    </message>
    <message>
        <source>in the keychain</source>
        <translation>在钥匙串中</translation>
    </message>
    <message>
        <source>This Latchkey was built without QtKeychain.</source>
        <translation>此 Latchkey 构建时没有 QtKeychain。</translation>
    </message>
    <message>
        <source>&amp;Password</source>
        <translation>密码(&amp;P)</translation>
    </message>
    <message>
        <source>Pro&amp;xy&apos;s password</source>
        <translation>代理的密码(&amp;X)</translation>
    </message>
    <message>
        <source>Waiting for the keychain…</source>
        <translation>正在等待钥匙串…</translation>
    </message>
    <message>
        <source>. The password is stored in the keychain, not in a file.</source>
        <translation>。密码存入钥匙串，不写入任何文件。</translation>
    </message>
    <message>
        <source>. The password is used for the test and not saved.</source>
        <translation>。密码只用于测试，不会保存：以后会询问。</translation>
    </message>
    <message>
        <source>&amp;Copy ACL SETUSER for a read-only user</source>
        <translation>复制观察用户的“ACL SETUSER”行(&amp;C)</translation>
    </message>
    <message>
        <source>Save a server</source>
        <translation>保存服务器</translation>
    </message>
    <message>
        <source>not specified</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>Writes to a production server must be confirmed with its name.</source>
        <translation>向生产服务器写入任何内容之前，必须输入它的名称。</translation>
    </message>
    <message>
        <source>Creates a user that can watch everything and change nothing</source>
        <translation>用于可以观察一切、但什么也不能改的服务器用户</translation>
    </message>
    <message>
        <source>none, or ask</source>
        <translation>无，或届时询问</translation>
    </message>
    <message>
        <source>The keychain of the desktop, such as GNOME Keyring or KWallet. Latchkey&apos;s files do not contain it.</source>
        <translation>桌面自己的钥匙串，例如 GNOME 或 KDE 的。密码不在 Latchkey 的任何文件中。</translation>
    </message>
    <message>
        <source>Use&amp;r</source>
        <translation>用户(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;URL</source>
        <translation>URL(&amp;U)</translation>
    </message>
    <message>
        <source>Sent&amp;inels&apos; password</source>
        <translation>哨兵的密码(&amp;I)</translation>
    </message>
    <message>
        <source>primary &quot;%1&quot; of 1 sentinel</source>
        <translation>1 个哨兵的主节点“%1”</translation>
    </message>
    <message numerus="yes">
        <source>primary &quot;%1&quot; of %n sentinels</source>
        <translation>
            <numerusform>%n 个哨兵的主节点“%1”</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::ServerState</name>
    <message>
        <source>not watched</source>
        <translation>未观察</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>没有应答</translation>
    </message>
    <message>
        <source>connected, no findings</source>
        <translation>已连接，没有问题</translation>
    </message>
    <message>
        <source>connected, 1 finding</source>
        <translation>已连接，1 个问题</translation>
    </message>
    <message numerus="yes">
        <source>connected, %n findings</source>
        <translation>
            <numerusform>已连接，%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message numerus="yes">
        <source>%n servers</source>
        <translation>
            <numerusform>%n 台服务器</numerusform>
        </translation>
    </message>
    <message>
        <source>connected: %1 of %2</source>
        <translation>已连接：%1 / %2</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::connections::ServerSwitcher</name>
    <message>
        <source>&amp;New…</source>
        <translation>新建(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Change…</source>
        <translation>更改(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>&amp;More</source>
        <translation>更多(&amp;M)</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Export the servers</source>
        <translation>导出服务器</translation>
    </message>
    <message>
        <source>Servers (*.ini)</source>
        <translation>服务器 (*.ini)</translation>
    </message>
    <message>
        <source>Import servers</source>
        <translation>导入服务器</translation>
    </message>
    <message>
        <source>Servers (*.ini);;All files (*)</source>
        <translation>服务器 (*.ini);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Name, group or address</source>
        <translation>名称、分组或位置</translation>
    </message>
    <message>
        <source>Filter the servers</source>
        <translation>筛选服务器列表</translation>
    </message>
    <message>
        <source>Recent, not saved</source>
        <translation>最近访问过，未收藏</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>保存(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Confirm removal</source>
        <translation>确认移除(&amp;C)</translation>
    </message>
    <message>
        <source>New &amp;group…</source>
        <translation>新建组(&amp;G)…</translation>
    </message>
    <message>
        <source>A redlock group: independent servers that vote for the holders of locks</source>
        <translation>Redlock 组：为锁的持有者投票的独立服务器</translation>
    </message>
    <message>
        <source>Redlock groups</source>
        <translation>Redlock 组</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>cannot be used</source>
        <translation>无法使用</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::detail::DetailPanel</name>
    <message>
        <source>Findings</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Details of the selected key</source>
        <translation>关于所选键的已知信息</translation>
    </message>
    <message>
        <source>Select a key to see its type, holder and value.</source>
        <translation>选择一个键，查看它的类型、持有者和值。</translation>
    </message>
    <message>
        <source>Expiring fields</source>
        <translation>会过期的字段</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>全部持有合计</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>Alternatives</source>
        <translation>其他可能</translation>
    </message>
    <message>
        <source>Defines a lock pattern for keys like this one</source>
        <translation>说明像这样的键是锁，以及归谁持有</translation>
    </message>
    <message>
        <source>Command log</source>
        <translation>命令记录</translation>
    </message>
    <message>
        <source>Commands and replies of this Latchkey for the key since it was selected, and the commands of other clients from a trace.</source>
        <translation>自选中此键以来，本 Latchkey 对它的命令和应答，以及跟踪得到的其他客户端的命令。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::detail::FieldList</name>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>%1 The first %2 are listed.</source>
        <comment>a sentence, and another</comment>
        <translation>%1列出最先的 %2 个。</translation>
    </message>
    <message>
        <source>Expiring fields and their TTL</source>
        <translation>会结束的字段及其剩余时间</translation>
    </message>
    <message>
        <source>All fields expire; the key expires with the last one.</source>
        <translation>每个字段都会结束，键随最后一个字段结束。</translation>
    </message>
    <message>
        <source>%1 of %2 fields expire.</source>
        <translation>%2 个字段中有 %1 个会过期。</translation>
    </message>
    <message>
        <source>%1 of the %2 fields that were checked expire; %3 more were not checked.</source>
        <translation>检查的 %2 个字段中有 %1 个会过期；另有 %3 个没有检查。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::detail::FindingBox</name>
    <message>
        <source>Copy finding</source>
        <translation>复制问题</translation>
    </message>
    <message>
        <source>Copies the finding as text</source>
        <translation>将问题复制为文本</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::detail::LeaseChart</name>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>Time left over time</source>
        <translation>剩余时间随时间的变化</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>The hold ended: %1</source>
        <translation>持有结束：%1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>no expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>Holder: %1</source>
        <translation>持有者：%1</translation>
    </message>
    <message>
        <source>without further renewal</source>
        <translation>如不再续期</translation>
    </message>
    <message>
        <source>The expiry was set here.</source>
        <translation>在此设置了过期时间。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::detail::ValueView</name>
    <message>
        <source>Previous</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>How the value is shown</source>
        <translation>值的显示方式</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>JSON, indented</source>
        <translation>JSON，带缩进</translation>
    </message>
    <message>
        <source>Hexadecimal</source>
        <translation>十六进制</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Read the value</source>
        <translation>读取值</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>The type is now %1.</source>
        <comment>a type</comment>
        <translation>它现在是 %1。</translation>
    </message>
    <message>
        <source>The value has changed.</source>
        <translation>值已改变。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::diagram::DiagramPanel</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Smaller (Ctrl and wheel)</source>
        <translation>缩小（Ctrl 加滚轮）</translation>
    </message>
    <message>
        <source>Larger (Ctrl and wheel)</source>
        <translation>放大（Ctrl 加滚轮）</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>文本 (*.txt)</translation>
    </message>
    <message>
        <source>Save the diagram</source>
        <translation>保存时序图</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Saved; left out: %1.</source>
        <translation>已保存；省略了：%1。</translation>
    </message>
    <message>
        <source>Clears the diagram</source>
        <translation>忘掉迄今发生的一切</translation>
    </message>
    <message>
        <source>Save as image, text or story</source>
        <translation>存为图片、文本或故事</translation>
    </message>
    <message>
        <source>Complete message</source>
        <translation>完整的对话内容</translation>
    </message>
    <message>
        <source>Stop following (Space)</source>
        <translation>让时序图停在原处（空格键）</translation>
    </message>
    <message>
        <source>Follow new events (Space)</source>
        <translation>跟随正在发生的事（空格键）</translation>
    </message>
    <message>
        <source>The last %1 lines; %2 earlier ones were discarded.</source>
        <translation>最近的 %1 行；之前的 %2 行已舍弃。</translation>
    </message>
    <message>
        <source>Vector image (*.svg)</source>
        <translation>可放大的图片 (*.svg)</translation>
    </message>
    <message>
        <source>Image (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>Story (*.json)</source>
        <translation>故事，可再次播放 (*.json)</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::diagram::DiagramView</name>
    <message>
        <source>Sequence diagram</source>
        <translation>时序图</translation>
    </message>
    <message>
        <source>A lane for each client and server, time from top to bottom. Up and Down select a line, Enter shows the complete message, plus and minus zoom, Home goes to the beginning, End to now.</source>
        <translation>每个客户端和服务器一条泳道，时间由上往下。上下键逐行移动，Enter 键显示完整内容，加号和减号缩放，Home 键到开头，End 键到现在。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::group::GroupPage</name>
    <message>
        <source>Group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Choose a group…</source>
        <translation>选择组…</translation>
    </message>
    <message>
        <source>Locks of the group</source>
        <translation>组的锁</translation>
    </message>
    <message>
        <source>Part of a key</source>
        <translation>键的一部分</translation>
    </message>
    <message>
        <source>Filter the locks of the group</source>
        <translation>筛选组的锁</translation>
    </message>
    <message>
        <source>Votes for the selected lock</source>
        <translation>所选锁的票</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n servers</source>
        <translation>
            <numerusform>%1：%n 台服务器</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message numerus="yes">
        <source>%n locks</source>
        <translation>
            <numerusform>%n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>No group is open</source>
        <translation>没有打开的组</translation>
    </message>
    <message>
        <source>A redlock group is a set of independent servers that vote for the holders of locks. Choose one in the list of servers, or create one there.</source>
        <translation>Redlock 组是一组独立的服务器，它们为锁的持有者投票。请在服务器列表中选择一个组，或在那里新建。</translation>
    </message>
    <message>
        <source>The servers are not independent</source>
        <translation>这些服务器不是独立的</translation>
    </message>
    <message>
        <source>Their votes would be counted twice. Change the group in the list of servers, and open it again.</source>
        <translation>它们的票会被算两次。请在服务器列表中更改该组，然后重新打开。</translation>
    </message>
    <message>
        <source>No lock matches the filter</source>
        <translation>没有符合筛选条件的锁</translation>
    </message>
    <message>
        <source>Clear the filter to see all locks.</source>
        <translation>清除筛选条件即可看到所有锁。</translation>
    </message>
    <message>
        <source>No lock was found yet</source>
        <translation>尚未发现锁</translation>
    </message>
    <message>
        <source>%1 of %2 servers were read to the end. The others may have locks.</source>
        <translation>已完整读取 %2 台服务器中的 %1 台。其余服务器上可能有锁。</translation>
    </message>
    <message>
        <source>No locks</source>
        <translation>没有锁</translation>
    </message>
    <message>
        <source>No server of the group has a lock. A new one appears here.</source>
        <translation>组中没有服务器有锁。新的锁会出现在这里。</translation>
    </message>
    <message>
        <source>Select a lock to see the vote of each server.</source>
        <translation>选择一把锁，查看每台服务器的票。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::group::GroupTableModel</name>
    <message>
        <source>%1 (silent)</source>
        <translation>%1（无应答）</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Votes</source>
        <translation>票数</translation>
    </message>
    <message>
        <source>Valid for</source>
        <translation>有效时间</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::help::AboutDialog</name>
    <message>
        <source>About Latchkey</source>
        <translation>关于 Latchkey</translation>
    </message>
    <message>
        <source>Versions and licences</source>
        <translation>版本与许可证</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Shows the locks and expiring keys of a Redis server.</source>
        <translation>显示 Redis 服务器上的锁和会过期的键。</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>组成部分</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::help::ActionFinder</name>
    <message>
        <source>Find an action</source>
        <translation>查找操作</translation>
    </message>
    <message>
        <source>Words of an action</source>
        <translation>操作名称中的词</translation>
    </message>
    <message>
        <source>Filter the actions</source>
        <translation>筛选操作</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>操作列表</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>an action, and why it is disabled</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>No action has all these words in its name.</source>
        <translation>没有名称包含所有这些词的操作。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::help::HelpControl</name>
    <message>
        <source>Find an action…</source>
        <translation>查找操作…</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>About Latchkey</source>
        <translation>关于 Latchkey</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::help::HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Pages and shortcuts</source>
        <translation>页面与快捷键</translation>
    </message>
    <message>
        <source>The pages of the window</source>
        <translation>窗口的各个页面</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>%1 is in the sources of Latchkey and not part of this program.</source>
        <translation>%1 在 Latchkey 的源代码中，不随本程序提供。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::ChangeNotificationButton</name>
    <message>
        <source>Copy &quot;%1&quot;</source>
        <translation>复制“%1”</translation>
    </message>
    <message>
        <source>How changes are detected, and what the view can miss</source>
        <translation>服务器如何告知变化，以及这对所显示的内容意味着什么</translation>
    </message>
    <message>
        <source>Change detection: %1</source>
        <translation>变化检测：%1</translation>
    </message>
    <message>
        <source>This command, sent by an administrator, creates a read-only user with all permissions that Latchkey needs. Fill in the password and the keys.</source>
        <translation>由管理员发送这条命令，即可建立一个具有 Latchkey 所需全部许可的只读用户。请填入密码和键。</translation>
    </message>
    <message>
        <source>Copy ACL SETUSER for a read-only user</source>
        <translation>复制观察者的“ACL SETUSER”行</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::CountChip</name>
    <message>
        <source>%1 %2</source>
        <comment>a chip and how many keys it shows</comment>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::DetailController</name>
    <message>
        <source>watching</source>
        <translation>观察</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>acting</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>no answer: %1</source>
        <translation>没有应答：%1</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>一个脚本</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::EndedKeysDialog</name>
    <message>
        <source>E&amp;xport…</source>
        <translation>导出(&amp;X)…</translation>
    </message>
    <message>
        <source>Ended keys</source>
        <translation>已结束的键</translation>
    </message>
    <message>
        <source>Part of a key, or a pattern: lock:*</source>
        <translation>键的一部分，或模式：lock:*</translation>
    </message>
    <message>
        <source>Filter the ended keys</source>
        <translation>筛选已结束的键</translation>
    </message>
    <message>
        <source>Exports the keys that match the filter as CSV or JSON</source>
        <translation>把符合筛选的键导出为 CSV 或 JSON</translation>
    </message>
    <message>
        <source>No newer ones</source>
        <translation>没有更新的</translation>
    </message>
    <message>
        <source>Newer: %1</source>
        <translation>更新的：%1</translation>
    </message>
    <message>
        <source>Shown: %1.</source>
        <translation>显示 %1 个。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::EndedKeysModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>End</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>截止时间</translation>
    </message>
    <message>
        <source>Late</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Known by</source>
        <translation>得知方式</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::ExpiryDialog</name>
    <message>
        <source>&amp;Never expires</source>
        <translation>永不过期(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Set</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Expires in</source>
        <translation>多久后结束(&amp;E)</translation>
    </message>
    <message>
        <source>Expires &amp;at</source>
        <translation>结束于(&amp;A)</translation>
    </message>
    <message>
        <source>Set expiry</source>
        <translation>设置过期时间</translation>
    </message>
    <message>
        <source>Expires in</source>
        <translation>多久后结束</translation>
    </message>
    <message>
        <source>Expires at</source>
        <translation>到期时间</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Expiry of this key</source>
        <translation>此键的过期时间</translation>
    </message>
    <message numerus="yes">
        <source>Expiry of these %Ln keys</source>
        <translation>
            <numerusform>这 %Ln 个键的过期时间</numerusform>
        </translation>
    </message>
    <message>
        <source>The expiry is set only if value and expiry are unchanged.</source>
        <translation>只有值和过期时间都没有变化时才会设置过期时间。</translation>
    </message>
    <message>
        <source>The expiry of each key is set only if its value and expiry are unchanged.</source>
        <translation>只有值和过期时间都没有变化的键才会设置过期时间。</translation>
    </message>
    <message>
        <source>Expires in %1</source>
        <translation>%1 后结束</translation>
    </message>
    <message>
        <source>always</source>
        <translation>不论原来的结束时间</translation>
    </message>
    <message>
        <source>only if it has no expiry</source>
        <translation>仅当没有过期时间</translation>
    </message>
    <message>
        <source>only if it has an expiry</source>
        <translation>仅当有过期时间</translation>
    </message>
    <message>
        <source>only if later than the current expiry</source>
        <translation>仅当晚于当前的过期时间</translation>
    </message>
    <message>
        <source>only if earlier than the current expiry</source>
        <translation>仅当早于当前的过期时间</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>The key stays until it is deleted.</source>
        <translation>该键会一直保留，直到被删除。</translation>
    </message>
    <message>
        <source>That is in %1. The server&apos;s clock decides; it may differ from this one.</source>
        <translation>即 %1 后；按服务器的时钟，可能与本机不同。</translation>
    </message>
    <message>
        <source>If set now, it expires at %1.</source>
        <translation>如果现在设置，它于 %1 结束。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::ExportControl</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export the &amp;table…</source>
        <translation>导出表格(&amp;T)…</translation>
    </message>
    <message>
        <source>Export the &amp;findings…</source>
        <translation>导出问题(&amp;F)…</translation>
    </message>
    <message>
        <source>Export the &amp;history…</source>
        <translation>导出历史(&amp;H)…</translation>
    </message>
    <message>
        <source>Export into a file</source>
        <translation>导出到文件</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Exporting to %1: %2 %</source>
        <translation>正在导出到 %1：%2 %</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 rows exported to %2.</source>
        <translation>已把 %1 行导出到 %2。</translation>
    </message>
    <message>
        <source>Exports the table, the findings, the history or the ended keys as CSV or JSON</source>
        <translation>把表格、问题、历史或已结束的键导出为 CSV 或 JSON</translation>
    </message>
    <message>
        <source>Export the &amp;ended keys…</source>
        <translation>导出已结束的键(&amp;E)…</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::InspectorHeader</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Expiring</source>
        <translation>会过期</translation>
    </message>
    <message>
        <source>No expiry</source>
        <translation>无过期时间</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Scan progress</source>
        <translation>扫描进度</translation>
    </message>
    <message>
        <source>Filter keys</source>
        <translation>筛选键</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>what a button shows, and its shortcut</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Up to the &amp;first colon: a: of a:b:c</source>
        <translation>到第一个冒号为止(&amp;F)：a:b:c 的 a:</translation>
    </message>
    <message>
        <source>Up to the &amp;last colon: a:b: of a:b:c</source>
        <translation>到最后一个冒号为止(&amp;L)：a:b:c 的 a:b:</translation>
    </message>
    <message>
        <source>Text or pattern: lock:*</source>
        <translation>键的一部分，或模式：lock:*</translation>
    </message>
    <message>
        <source>Part of a key, or a pattern for the whole key with *, ? and [a-z] (Ctrl+F; Esc clears)</source>
        <translation>表中所示的键的一部分，或匹配整个键的模式：* ?，以及与它们一起的 [a-z]（Ctrl+F；Esc 清除）</translation>
    </message>
    <message>
        <source>Shows the holds of all locks below the table</source>
        <translation>谁在何时持有过哪把锁，显示在表格下方</translation>
    </message>
    <message>
        <source>Shows the details of the selected key beside the table</source>
        <translation>关于所选键的已知信息，显示在表格旁</translation>
    </message>
    <message>
        <source>Groups keys by prefix; the menu selects the prefix</source>
        <translation>前缀相同的键放在一起；其菜单可选到哪个冒号为止</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Show: %1</source>
        <comment>a filter of the table</comment>
        <translation>显示：%1</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::InspectorPage</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>The keys have more than %1 prefixes and are not grouped.</source>
        <translation>键的不同前缀超过 %1 个，不按它们分组。</translation>
    </message>
    <message>
        <source>Sorting by value would read every value; this is not done for more than %1 keys. Only the displayed keys are sorted.</source>
        <translation>按值排序要读取每个值，超过 %1 个键时不这样做。屏幕上的键按已读取的值排序。</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>显示详情</translation>
    </message>
    <message>
        <source>Sort by %1</source>
        <translation>按%1排序</translation>
    </message>
    <message>
        <source>Ended keys…</source>
        <translation>已结束的键…</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::KeyActionBar</name>
    <message>
        <source>Copy key</source>
        <translation>复制键</translation>
    </message>
    <message>
        <source>Copy redis-cli command</source>
        <translation>复制 redis-cli 命令</translation>
    </message>
    <message>
        <source>&amp;Release…</source>
        <translation>释放(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Delete…</source>
        <translation>删除(&amp;D)…</translation>
    </message>
    <message>
        <source>Trace…</source>
        <translation>跟踪…</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Set expiry &amp;time…</source>
        <translation>设置过期时间(&amp;T)…</translation>
    </message>
    <message>
        <source>Select a lock first</source>
        <translation>请先选择一把锁</translation>
    </message>
    <message>
        <source>Read-only: arm writes first</source>
        <translation>需要先启用写入：此服务器只作观察</translation>
    </message>
    <message>
        <source>Sets the expiry of the selected keys if they are unchanged</source>
        <translation>设置所选键的过期时间，前提是它们没有变化</translation>
    </message>
    <message>
        <source>Releases the selected locks as their holders would, if they are unchanged</source>
        <translation>像持有者那样释放所选的锁，前提是它们仍与所显示的一致</translation>
    </message>
    <message>
        <source>Deletes the selected keys if they are unchanged</source>
        <translation>删除所选的键，前提是它们仍与所显示的一致</translation>
    </message>
    <message>
        <source>No connection to a server</source>
        <translation>没有与服务器的连接</translation>
    </message>
    <message>
        <source>Select a key first</source>
        <translation>请先选择一个键</translation>
    </message>
    <message numerus="yes">
        <source>At most %Ln keys at once</source>
        <translation>
            <numerusform>一次不超过 %Ln 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>Select a single key</source>
        <translation>请只选择一个键</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::LockPatternActions</name>
    <message>
        <source>This is a &amp;lock…</source>
        <translation>这是一把锁(&amp;L)…</translation>
    </message>
    <message>
        <source>Lock &amp;patterns of your own…</source>
        <translation>您自己的锁模式(&amp;P)…</translation>
    </message>
    <message>
        <source>%1 lock</source>
        <comment>the name of a kind of locks, after how their keys are named</comment>
        <translation>%1 锁</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::LockPatternDialog</name>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>This is a lock</source>
        <translation>这是一把锁</translation>
    </message>
    <message>
        <source>Change a lock pattern</source>
        <translation>更改锁模式</translation>
    </message>
    <message>
        <source>Field with the holder</source>
        <translation>存放持有者的字段</translation>
    </message>
    <message>
        <source>not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>&amp;Name of these locks</source>
        <translation>这些锁的名称(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>键(&amp;K)</translation>
    </message>
    <message>
        <source>The &amp;value is</source>
        <translation>值是(&amp;V)</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>holds a %1</source>
        <translation>存放的是 %1</translation>
    </message>
    <message>
        <source>holds another value</source>
        <translation>存放的是另一个值</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>Pattern for the complete key: *, ? and sets such as [a-z]</source>
        <translation>键的全名：* 和 ? 代表任意字符，与它们一起时 [a-z] 表示一个字符集</translation>
    </message>
    <message>
        <source>of a type that no lock has</source>
        <translation>的类型不是锁的类型</translation>
    </message>
    <message>
        <source>Keys that match the pattern and hold such a value are shown as these locks, on every server. The pattern is stored in %1.</source>
        <translation>从现在起，在每台服务器上，名称和值都如此的键会显示为这种锁。保存在 %1 中。</translation>
    </message>
    <message>
        <source>Matching keys and their holders</source>
        <translation>这样命名的键，以及归谁持有</translation>
    </message>
    <message>
        <source>%1 of %2 known keys match:</source>
        <translation>已知的 %2 个键中有 %1 个这样命名：</translation>
    </message>
    <message>
        <source>At least %1 of the known keys match…</source>
        <translation>已知的键中至少有 %1 个这样命名…</translation>
    </message>
    <message>
        <source>does not match</source>
        <translation>不是这样命名的</translation>
    </message>
    <message>
        <source>no longer exists</source>
        <translation>已经不在了</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::RecentlyEndedBar</name>
    <message>
        <source>Show recently ended keys</source>
        <translation>显示已消失的键</translation>
    </message>
    <message>
        <source>Ended keys…</source>
        <translation>已结束的键…</translation>
    </message>
    <message>
        <source>Lists the keys that ended within the last hour</source>
        <translation>列出最近一小时内结束的键</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::RecordControl</name>
    <message>
        <source>Record</source>
        <translation>录制</translation>
    </message>
    <message>
        <source>&amp;Record…</source>
        <translation>录制(&amp;R)…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>&amp;Open a recording…</source>
        <translation>打开录制文件(&amp;O)…</translation>
    </message>
    <message>
        <source>Record into a file</source>
        <translation>录制到文件</translation>
    </message>
    <message>
        <source>Recordings (*.latchkey-recording)</source>
        <translation>录制文件 (*.latchkey-recording)</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>recording · %1 · %2 of %3</source>
        <comment>how long, how large, size limit</comment>
        <translation>录制中 · %1 · %2 / %3</translation>
    </message>
    <message>
        <source>Records observations into a file, or opens a recording</source>
        <translation>把观察到的内容录制到文件，或打开录制</translation>
    </message>
    <message>
        <source>Ends the recording and completes the file</source>
        <translation>结束录制：之后文件就是完整的</translation>
    </message>
    <message>
        <source>The recording is in %1.</source>
        <translation>录制在 %1 中。</translation>
    </message>
    <message>
        <source>To %1, with values</source>
        <translation>录制到 %1，含值</translation>
    </message>
    <message>
        <source>To %1, without values</source>
        <translation>录制到 %1，省略值</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::RecordDialog</name>
    <message>
        <source>&amp;Without values</source>
        <translation>省略值(&amp;W)</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>录制</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Size limit</source>
        <translation>大小上限(&amp;S)</translation>
    </message>
    <message>
        <source>With &amp;values, as far as they are read</source>
        <translation>含值(&amp;V)，读取了多少就有多少</translation>
    </message>
    <message>
        <source>All observations of %1 are written to a file, with times. The file can be replayed without the server and attached to a bug report.</source>
        <translation>从现在起，在 %1 上观察到的一切都连同时间写入文件。以后可以不用服务器重放它，也可以附在缺陷报告中。</translation>
    </message>
    <message>
        <source>Keys, types, times and kinds of locks are recorded. Values and holders are replaced by digests; equal values have equal digests.</source>
        <translation>留下键名、类型和时间，以及每把锁是哪一种。每个值和持有者的位置上是一个摘要：相同者摘要相同。</translation>
    </message>
    <message>
        <source>Includes lock tokens and connected clients: share it only with people who may see them.</source>
        <translation>包含锁的令牌和连接着的客户端：只给可以看到这些内容的人。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::ServerSilentNote</name>
    <message>
        <source>Try now</source>
        <translation>立即重试</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::SnapshotView</name>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Keys, values and TTLs</source>
        <translation>键、它们的值以及剩余时间</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::inspector::UserPatternsDialog</name>
    <message>
        <source>&amp;Change…</source>
        <translation>更改(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Lock patterns of your own</source>
        <translation>您自己的锁模式</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>键</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>关闭(&amp;L)</translation>
    </message>
    <message>
        <source>&quot;%1&quot; was removed.</source>
        <translation>“%1”已移除。</translation>
    </message>
    <message>
        <source>Stored in %1, which can also be edited.</source>
        <translation>保存在 %1 中，也可以直接编辑该文件。</translation>
    </message>
    <message>
        <source>%1. The file is not changed until this is corrected.</source>
        <translation>%1。在文件中改正之前，不会向它写入任何内容。</translation>
    </message>
    <message>
        <source>No patterns yet. Select a key in the table and click &quot;This is a lock…&quot;. Patterns are stored in %1.</source>
        <translation>还没有。请在表格中选择一个键，并说明“这是一把锁…”；它会保存在 %1 中。</translation>
    </message>
    <message>
        <source>see line %1 of the file</source>
        <translation>按文件第 %1 行所写</translation>
    </message>
    <message>
        <source>Too complex for the dialog: edit the file</source>
        <translation>它所写的内容对话框容不下：请在文件中更改</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::keytable::KeyColumnLayout</name>
    <message>
        <source>Reset columns</source>
        <translation>重置列</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::keytable::KeyTableView</name>
    <message>
        <source>Keys and their TTLs</source>
        <translation>键及其剩余时间</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::ExpectationsPanel</name>
    <message>
        <source>Save verdicts</source>
        <translation>保存判定</translation>
    </message>
    <message>
        <source>session:7 gone between 4.9s and 5.2s after writing
lock:* renewed at least every 10s
cache:* never without expiry</source>
        <translation>session:7 gone between 4.9s and 5.2s after writing
lock:* renewed at least every 10s
cache:* never without expiry</translation>
    </message>
    <message>
        <source>As CSV…</source>
        <translation>存为 CSV…</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>存为 CSV</translation>
    </message>
    <message>
        <source>As JSON…</source>
        <translation>存为 JSON…</translation>
    </message>
    <message>
        <source>Save as JSON</source>
        <translation>存为 JSON</translation>
    </message>
    <message>
        <source>As JUnit&apos;s XML…</source>
        <translation>存为 JUnit 的 XML…</translation>
    </message>
    <message>
        <source>Save as JUnit&apos;s XML</source>
        <translation>存为 JUnit 的 XML</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Expectation</source>
        <translation>期望</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Verdicts</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>No server is connected.</source>
        <translation>没有连接服务器。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message numerus="yes">
        <source>%n hold</source>
        <translation>
            <numerusform>%n 条成立</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n fail</source>
        <translation>
            <numerusform>%n 条不成立</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n open</source>
        <translation>
            <numerusform>%n 条未定</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>已存为 %1。</translation>
    </message>
    <message>
        <source>Expectations, one per line</source>
        <translation>期望，每行一条</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>One expectation per line; a key with * or ? is a pattern.</source>
        <translation>每行一条期望；含 * 或 ? 的键代表许多键。</translation>
    </message>
    <message numerus="yes">
        <source>%n unknown</source>
        <translation>
            <numerusform>%n 条未知</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more keys are not checked</source>
        <translation>
            <numerusform>另有 %n 个键未作判定</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>first %n shown</source>
        <translation>
            <numerusform>显示前 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>No expectations yet</source>
        <translation>还没有任何期望</translation>
    </message>
    <message>
        <source>Enter what you expect of keys on the connected server and click Check. Each key is watched until its verdict is known.</source>
        <translation>请在上方写下对所连接服务器上的键的期望，然后点击“判定”。此后会观察每个键，一有结论就给出判定。</translation>
    </message>
    <message>
        <source>1 holds</source>
        <translation>1 条成立</translation>
    </message>
    <message>
        <source>1 fails</source>
        <translation>1 条不成立</translation>
    </message>
    <message>
        <source>1 more key is not checked</source>
        <translation>另有 1 个键未作判定</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::ExperimentForm</name>
    <message>
        <source>Keys of each recipe</source>
        <translation>每种方案的键数</translation>
    </message>
    <message>
        <source>Shortest lifetime</source>
        <translation>最短生存时间</translation>
    </message>
    <message>
        <source>Longest lifetime</source>
        <translation>最长生存时间</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>a private server</source>
        <translation>私有服务器</translation>
    </message>
    <message>
        <source>&amp;to</source>
        <translation>到(&amp;T)</translation>
    </message>
    <message>
        <source>Kill the writer &amp;after</source>
        <translation>杀死写入者于(&amp;A)</translation>
    </message>
    <message>
        <source>commands, in</source>
        <translation>条命令之后，占</translation>
    </message>
    <message>
        <source>of the writes, &amp;on</source>
        <translation>的写入，位于(&amp;O)</translation>
    </message>
    <message>
        <source>Number of commands of a write before the writer is killed</source>
        <translation>一次写入进行到若干条命令之后杀死写入者</translation>
    </message>
    <message>
        <source>A pipeline counts as one command.</source>
        <translation>流水线一次发出，算作一条命令。</translation>
    </message>
    <message>
        <source>Share of interrupted writes</source>
        <translation>被中断的写入所占的比例</translation>
    </message>
    <message>
        <source>&amp;Keys per recipe</source>
        <translation>每种方案的键数(&amp;K)</translation>
    </message>
    <message>
        <source>Li&amp;fetime from</source>
        <translation>生存时间从(&amp;F)</translation>
    </message>
    <message>
        <source>connected server, if armed</source>
        <translation>所连接的服务器，须先启用写入</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::ExperimentPanel</name>
    <message>
        <source>Recipe</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>遗留</translation>
    </message>
    <message>
        <source>no-immortal-data</source>
        <translation>no-immortal-data</translation>
    </message>
    <message>
        <source>no-immortal-key</source>
        <translation>no-immortal-key</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Writing: %1 of %2 keys</source>
        <translation>正在写入：%1/%2 个键</translation>
    </message>
    <message>
        <source>%1 of %2 keys have ended.</source>
        <translation>%2 个键中已有 %1 个结束。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>claimed</source>
        <translation>声称有</translation>
    </message>
    <message>
        <source>not claimed</source>
        <translation>未声称</translation>
    </message>
    <message>
        <source>%1, BROKEN</source>
        <translation>%1，被打破</translation>
    </message>
    <message>
        <source>%1, holds</source>
        <translation>%1，成立</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Seen expired by a read</source>
        <translation>读取时已过期</translation>
    </message>
    <message>
        <source>expired event received</source>
        <translation>收到 expired 事件</translation>
    </message>
    <message>
        <source>Recipes and results</source>
        <translation>各方案及其结果</translation>
    </message>
    <message>
        <source>A process writes keys by the selected recipes and is killed (SIGKILL) during the writes. The results show which keys never expire, and how late the others expire.</source>
        <translation>一个进程按所选的方案写入键，并在写入时被杀死（SIGKILL）。结果显示哪些键永不过期，其余的键过期得有多迟。</translation>
    </message>
    <message numerus="yes">
        <source>The writer was killed during %n writes. </source>
        <translation>
            <numerusform>写入者在 %n 次写入的中途被杀死。</numerusform>
        </translation>
    </message>
    <message>
        <source>Removing the remaining keys…</source>
        <translation>正在删除剩下的键…</translation>
    </message>
    <message>
        <source>%1 keys were planned, and the writer was killed during %2 writes. The error of the delays is 1 ms plus half a round trip (p99 %3 ms).</source>
        <translation>应写入 %1 个键，写入者在其中 %2 次写入的中途被杀死。迟到时间的误差为 1 毫秒加半个往返时间，后者为 %3 毫秒（99 %）。</translation>
    </message>
    <message>
        <source>Distribution of the delay after which keys expire.</source>
        <translation>键结束之后，在此显示其延迟的分布。</translation>
    </message>
    <message>
        <source>This server sends no expired events (notify-keyspace-events).</source>
        <translation>此服务器不通知键的过期（notify-keyspace-events）。</translation>
    </message>
    <message>
        <source>%1 left no key without an expiry.</source>
        <translation>%1 没有遗留没有过期时间的键。</translation>
    </message>
    <message numerus="yes">
        <source>%n keys without an expiry: %1</source>
        <translation>
            <numerusform>有 %n 个键没有过期时间：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>The writer was killed during 1 write. </source>
        <translation>写入者在 1 次写入的中途被杀死。</translation>
    </message>
    <message>
        <source>1 key without an expiry: %1</source>
        <translation>有 1 个键没有过期时间：%1</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::ForecastPanel</name>
    <message>
        <source>No keys</source>
        <translation>没有键</translation>
    </message>
    <message>
        <source>Shows how many keys of the connected server expire in the next second, minute and hour, by prefix.</source>
        <translation>所连接的服务器上有键时，您会在此看到其中有多少将在下一秒、下一分钟和下一小时结束，以及属于哪些前缀。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::ForecastView</name>
    <message>
        <source>in the next second</source>
        <translation>下一秒内</translation>
    </message>
    <message>
        <source>in the next minute</source>
        <translation>下一分钟内</translation>
    </message>
    <message>
        <source>in the next hour</source>
        <translation>下一小时内</translation>
    </message>
    <message>
        <source>later</source>
        <translation>更晚</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 of %2 in the next hour</source>
        <translation>下一小时内 %2 中的 %1</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>no prefix</source>
        <translation>无前缀</translation>
    </message>
    <message numerus="yes">
        <source>and %n other prefixes</source>
        <translation>
            <numerusform>以及另外 %n 个前缀</numerusform>
        </translation>
    </message>
    <message>
        <source>Expiry times</source>
        <translation>过期时间</translation>
    </message>
    <message>
        <source>Keys that expire in the next hour, by prefix</source>
        <translation>下一小时内结束的键，按前缀</translation>
    </message>
    <message>
        <source>and 1 other prefix</source>
        <translation>以及另外 1 个前缀</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::HistogramView</name>
    <message numerus="yes">
        <source>%n keys</source>
        <translation>
            <numerusform>%n 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>half within %1 ms, 90 % within %2, 99 % within %3, the last after %4</source>
        <translation>一半在 %1 毫秒之内，90 % 在 %2 之内，99 % 在 %3 之内，最后一个在 %4 之后</translation>
    </message>
    <message>
        <source>p50 %1   p90 %2   p99 %3   max %4 ms</source>
        <translation>p50 %1   p90 %2   p99 %3   最大 %4 毫秒</translation>
    </message>
    <message>
        <source>milliseconds late</source>
        <translation>延迟毫秒数</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>键数</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>1 key</source>
        <translation>1 个键</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::lab::LabPage</name>
    <message>
        <source>Expiry lab</source>
        <translation>过期实验室</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Expectations</source>
        <translation>期望</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>预测</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::BeliefPanel</name>
    <message>
        <source>Believes</source>
        <translation>自以为</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ClientCard</name>
    <message>
        <source>Acquire</source>
        <translation>获取</translation>
    </message>
    <message>
        <source>Extend</source>
        <translation>续期</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Crash</source>
        <translation>崩溃</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>SIGKILL: the process ends at once and releases nothing</source>
        <translation>SIGKILL：进程立即结束，什么也不释放</translation>
    </message>
    <message>
        <source>Flaw: %1</source>
        <translation>缺陷：%1</translation>
    </message>
    <message>
        <source>Process %1</source>
        <translation>进程 %1</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The recipe %1 cannot extend a lock</source>
        <translation>方案 %1 不能为锁续期</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Renew</source>
        <translation>续期一次</translation>
    </message>
    <message>
        <source>Lose reply</source>
        <translation>丢失应答</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>Terminates this client and removes its card</source>
        <translation>结束此客户端并移除其卡片</translation>
    </message>
    <message>
        <source>SIGSTOP: the process is suspended and does not notice the time that passes</source>
        <translation>SIGSTOP：进程睡着，醒来时仍相信原来所相信的</translation>
    </message>
    <message>
        <source>The server executes the next command, but its reply never reaches this client</source>
        <translation>服务器会执行下一条命令，而它的应答永远不会到达此客户端</translation>
    </message>
    <message>
        <source>Writes to the protected resource, with the fencing number if there is one</source>
        <translation>写入受锁保护的资源，有栅栏编号时一并带上</translation>
    </message>
    <message>
        <source>Starts a new process, without the lock of the previous one</source>
        <translation>启动一个新进程，没有前一个的锁</translation>
    </message>
    <message>
        <source>Extends the lease by the time in the field</source>
        <translation>按输入字段中的时长续期租约</translation>
    </message>
    <message>
        <source>Renews the lease once; the client also renews it automatically</source>
        <translation>为租约续期一次；客户端也会自动续期</translation>
    </message>
    <message>
        <source>Renews the lease once, for its previous duration</source>
        <translation>按原来的时长为租约续期一次</translation>
    </message>
    <message>
        <source>Collapse the form</source>
        <translation>折叠表单</translation>
    </message>
    <message>
        <source>Expand the form</source>
        <translation>展开表单</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ClientCardArea</name>
    <message>
        <source>No clients yet</source>
        <translation>这里还没有客户端</translation>
    </message>
    <message>
        <source>Each client is a separate process. Add two, let both acquire one lock, then crash the holder and watch its lease expire.</source>
        <translation>每个客户端都是一个独立的进程。添加两个，让它们获取同一把锁，然后让持有者崩溃，看着它的租约过期。</translation>
    </message>
    <message>
        <source>Add two clients</source>
        <translation>添加两个客户端</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::KeyField</name>
    <message>
        <source>Enter another key</source>
        <translation>输入另一个键</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>These bytes cannot be typed; they are shown escaped.</source>
        <translation>这些字节无法键入：以转义形式显示，并按原样使用。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::LockForm</name>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Duration of the lease: 500ms, 10s, 2m</source>
        <translation>租约的时长：500ms、10s、2m</translation>
    </message>
    <message>
        <source>Time to retry while the lock is busy; 0s: one attempt</source>
        <translation>锁忙时重试多久：0s 表示只试一次</translation>
    </message>
    <message>
        <source>Time that an automatic client works while it holds the lock</source>
        <translation>自动进行的客户端持有锁时工作的时间</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Repeats acquire, work, write to the resource and release, until stopped</source>
        <translation>获取、工作、写入资源、释放，如此反复，直到被叫停</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::PlaygroundHeader</name>
    <message>
        <source>Add client</source>
        <translation>添加客户端</translation>
    </message>
    <message>
        <source>Keys and log</source>
        <translation>键与记录</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Keys on the server and log of all commands</source>
        <translation>服务器上的键，以及所有命令的记录</translation>
    </message>
    <message>
        <source>Shows the clients&apos; controls, the diagram and the resource full screen, in large type (F11)</source>
        <translation>全屏以大字号显示各客户端的按钮、时序图和资源（F11）</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>演练场</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::PlaygroundPage</name>
    <message>
        <source>Starting a private server…</source>
        <translation>正在启动私有服务器…</translation>
    </message>
    <message>
        <source>1 client on the private server %1</source>
        <translation>私有服务器 %1 上有 1 个客户端</translation>
    </message>
    <message numerus="yes">
        <source>%n clients on the private server %1</source>
        <translation>
            <numerusform>私有服务器 %1 上有 %n 个客户端</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::PresentedClients</name>
    <message>
        <source>Exit (Esc)</source>
        <translation>退出 (Esc)</translation>
    </message>
    <message>
        <source>Back to the clients</source>
        <translation>回到客户端</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::PresetButton</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Removes all clients and starts a prepared situation</source>
        <translation>移除所有客户端，并开始一种布置好的情形</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::RecipeBox</name>
    <message>
        <source>Recipe</source>
        <translation>方案</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ResourceView</name>
    <message>
        <source>The protected resource</source>
        <translation>受保护的资源</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Inside %1</source>
        <translation>临界区内 %1</translation>
    </message>
    <message>
        <source>largest fencing number %1</source>
        <translation>最大的栅栏编号 %1</translation>
    </message>
    <message>
        <source>%1 (lease over)</source>
        <translation>%1（租约已结束）</translation>
    </message>
    <message>
        <source>%1 (key gone)</source>
        <translation>%1（键已消失）</translation>
    </message>
    <message>
        <source>The resource that the lock protects. A client is inside while it believes that it holds the lock. The resource refuses a write with a smaller fencing number than one before.</source>
        <translation>锁所要保护的东西。客户端从得到锁起，直到它自认为放手或死去为止，都在临界区内。资源接受写入，除非其栅栏编号小于它见过的编号。</translation>
    </message>
    <message>
        <source>No client inside</source>
        <translation>临界区内没有客户端</translation>
    </message>
    <message>
        <source>writes accepted: %1, last by %2</source>
        <translation>接受的写入：%1，最后一次来自 %2</translation>
    </message>
    <message>
        <source>refused: %1, last by %2</source>
        <translation>拒绝：%1，最后一次来自 %2</translation>
    </message>
    <message>
        <source>No writes yet</source>
        <translation>还没有写入任何内容</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::SequencePanel</name>
    <message>
        <source>Commands and replies between clients and server are drawn here.</source>
        <translation>客户端与服务器之间的命令和应答会画在这里。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ServerChip</name>
    <message>
        <source>Server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>Kill server %1</source>
        <translation>杀死服务器 %1</translation>
    </message>
    <message>
        <source>Freeze server %1</source>
        <translation>冻结服务器 %1</translation>
    </message>
    <message>
        <source>Restart server %1</source>
        <translation>重新启动服务器 %1</translation>
    </message>
    <message>
        <source>Restarts the server at the same address, without data</source>
        <translation>在同一地址重新启动服务器，没有数据</translation>
    </message>
    <message>
        <source>SIGKILL: the server ends at once and loses its data</source>
        <translation>SIGKILL：服务器立即结束，失去数据</translation>
    </message>
    <message>
        <source>Resume server %1</source>
        <translation>恢复服务器 %1</translation>
    </message>
    <message>
        <source>SIGCONT: the server resumes with its data</source>
        <translation>SIGCONT：服务器带着原有的数据恢复运行</translation>
    </message>
    <message>
        <source>SIGSTOP: the server does not respond and keeps its data</source>
        <translation>SIGSTOP：服务器没有响应，但保留数据</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ServerCountButton</name>
    <message>
        <source>Number of private servers. redlock uses all of them, every other recipe the first. A change restarts all clients.</source>
        <translation>有多少台私有服务器：redlock 使用全部，其他方案都使用第一台。改变时客户端会重新启动。</translation>
    </message>
    <message>
        <source>Freeze the server (SIGSTOP)</source>
        <translation>冻结服务器（SIGSTOP）</translation>
    </message>
    <message>
        <source>Kill the server (SIGKILL)</source>
        <translation>杀死服务器（SIGKILL）</translation>
    </message>
    <message>
        <source>Servers: %1</source>
        <translation>服务器：%1</translation>
    </message>
    <message>
        <source>1 private server</source>
        <translation>1 台私有服务器</translation>
    </message>
    <message numerus="yes">
        <source>%n private servers</source>
        <translation>
            <numerusform>%n 台私有服务器</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ServerLanes</name>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>server %1</source>
        <translation>服务器 %1</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ServerPanel</name>
    <message>
        <source>Keys on the server</source>
        <translation>服务器上的键</translation>
    </message>
    <message>
        <source>Command log</source>
        <translation>命令记录</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>没有键</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::playground::ServerStrip</name>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Value of %1 on each server</source>
        <translation>%1 在各台服务器上的值</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::recording::RecordingWindow</name>
    <message>
        <source>recording</source>
        <translation>录制</translation>
    </message>
    <message>
        <source>values left out</source>
        <translation>已省略值</translation>
    </message>
    <message>
        <source>Recording: %1 — Latchkey</source>
        <translation>录制：%1 — Latchkey</translation>
    </message>
    <message>
        <source>no coverage</source>
        <translation>不含观察范围</translation>
    </message>
    <message>
        <source>started %1</source>
        <comment>a recording, at a time</comment>
        <translation>始于 %1</translation>
    </message>
    <message>
        <source>not live</source>
        <translation>这里没有实时内容</translation>
    </message>
    <message>
        <source>Values and holders are replaced by digests; equal values have equal digests.</source>
        <translation>每个值和持有者的位置上是一个摘要：相同者摘要相同。</translation>
    </message>
    <message>
        <source>This recording of an older version has no coverage. Of the times without observations, only lost connections are known.</source>
        <translation>这个旧版本的录制不含观察范围：没有观察的时段中，只知道连接断开的时段。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::recording::TransportBar</name>
    <message>
        <source>To the start</source>
        <translation>回到开头</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Time in the recording</source>
        <translation>录制中的时间</translation>
    </message>
    <message>
        <source>%1×</source>
        <comment>a speed: so many times as fast</comment>
        <translation>%1×</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Play or pause (Space in the table and on the slider, else Ctrl+Space)</source>
        <translation>播放或暂停（在表格中和滑块上按空格键，其他地方按 Ctrl+空格键）</translation>
    </message>
    <message>
        <source>Replay speed</source>
        <translation>重放速度</translation>
    </message>
    <message>
        <source>Arrow keys, or Ctrl+Left and Ctrl+Right, move the time</source>
        <translation>方向键移到稍早或稍晚，在任何地方都可用 Ctrl+左 和 Ctrl+右</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::AlertControl</name>
    <message>
        <source>No server is open.</source>
        <translation>没有打开的服务器。</translation>
    </message>
    <message>
        <source>A recording has no alerts.</source>
        <translation>录制没有警报。</translation>
    </message>
    <message>
        <source>A private server has no alerts.</source>
        <translation>私有服务器没有警报。</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n alerts</source>
        <translation>
            <numerusform>%1：%n 个警报</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::ArmDialog</name>
    <message>
        <source>Arm writes</source>
        <translation>启用写入</translation>
    </message>
    <message>
        <source>Allow writing to this production server?</source>
        <translation>允许向此生产服务器写入？</translation>
    </message>
    <message>
        <source>Allow writing to this server?</source>
        <translation>允许向此服务器写入？</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>The server&apos;s name, to confirm</source>
        <translation>服务器的名称，用于确认</translation>
    </message>
    <message>
        <source>Stay read-only</source>
        <translation>保持只读</translation>
    </message>
    <message>
        <source>&amp;Type its name to continue:</source>
        <translation>输入其名称以继续(&amp;T)：</translation>
    </message>
    <message>
        <source>Keys can be deleted and their expiry changed until the time is over, you disarm it or connect to another server. Latchkey writes nothing automatically.</source>
        <translation>在时间结束、停用写入或连接到其他服务器之前，可以删除键、更改其过期时间。Latchkey 不会自动写入任何内容。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln min</source>
        <translation>
            <numerusform>%Ln 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Disarm after</source>
        <translation>多久后停用(&amp;D)</translation>
    </message>
    <message>
        <source>This is not the name of the server.</source>
        <translation>这不是该服务器的名称。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::ArmingNotice</name>
    <message>
        <source>Writing to %1 was disarmed automatically after %2.</source>
        <translation>对 %1 的写入已在 %2后自动停用。</translation>
    </message>
    <message>
        <source>Arm again…</source>
        <translation>再次启用…</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::CertificateDialog</name>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>For</source>
        <translation>用于</translation>
    </message>
    <message>
        <source>Signed by</source>
        <translation>签发者</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>有效期</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation>证书</translation>
    </message>
    <message>
        <source>The certificate has CHANGED</source>
        <translation>证书已改变</translation>
    </message>
    <message>
        <source>This server is not trusted</source>
        <translation>此服务器不受信任</translation>
    </message>
    <message>
        <source>Do not connect</source>
        <translation>不连接</translation>
    </message>
    <message>
        <source>Pin the new one</source>
        <translation>固定新证书</translation>
    </message>
    <message>
        <source>Pin and connect</source>
        <translation>固定并连接</translation>
    </message>
    <message>
        <source>The certificate is not the pinned one. The connection may be intercepted, or the certificate was renewed. Ask the administrator before you continue.</source>
        <translation>证书不是所固定的那个。连接可能被截取，也可能证书已更新。继续之前请询问管理员。</translation>
    </message>
    <message>
        <source>Compare the SHA-256 with the value from the server&apos;s administrator. After pinning, only this certificate is accepted.</source>
        <translation>请把 SHA-256 与服务器管理员给出的值核对。固定之后，只接受这个证书。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::ConnectionBar</name>
    <message>
        <source>Server version</source>
        <translation>服务器版本</translation>
    </message>
    <message>
        <source>Round trip</source>
        <translation>往返时间</translation>
    </message>
    <message>
        <source>Enter password…</source>
        <translation>输入密码…</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>立即重试</translation>
    </message>
    <message>
        <source>Pause polling</source>
        <translation>暂停轮询</translation>
    </message>
    <message>
        <source>%1. Click for the other servers (Ctrl+K)</source>
        <translation>%1。点击查看其他服务器 (Ctrl+K)</translation>
    </message>
    <message>
        <source>%1, %2. Click for the other servers (Ctrl+K)</source>
        <translation>%1，%2。点击查看其他服务器 (Ctrl+K)</translation>
    </message>
    <message>
        <source>Servers (Ctrl+K)</source>
        <translation>服务器 (Ctrl+K)</translation>
    </message>
    <message>
        <source>Server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Resume polling</source>
        <translation>恢复轮询</translation>
    </message>
    <message>
        <source>Arm or disarm writes</source>
        <translation>启用或停用写入</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::CostButton</name>
    <message numerus="yes">
        <source>%Ln s</source>
        <translation>
            <numerusform>%Ln 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln min</source>
        <translation>
            <numerusform>%Ln 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>0 commands/s</source>
        <translation>0 条命令/秒</translation>
    </message>
    <message>
        <source>Read all keys at full speed on connect and for sorting</source>
        <translation>初次读取以及排序时全速读取所有键</translation>
    </message>
    <message>
        <source>Read all keys at full speed on connect and for sorting (within the limit: %1)</source>
        <translation>初次读取以及排序时全速读取所有键（在上限之内需 %1）</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::MainWindow</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>演练场</translation>
    </message>
    <message>
        <source>Stories</source>
        <translation>故事</translation>
    </message>
    <message>
        <source>Expiry lab</source>
        <translation>过期实验室</translation>
    </message>
    <message>
        <source>%1 — Latchkey</source>
        <translation>%1 — Latchkey</translation>
    </message>
    <message>
        <source>Settings are not saved: %1.</source>
        <translation>设置未保存：%1。</translation>
    </message>
    <message>
        <source>%1 (production) — Latchkey</source>
        <translation>%1（生产环境）— Latchkey</translation>
    </message>
    <message>
        <source>Shows every key, its time left, and for locks the library, the holder and the findings.</source>
        <translation>显示每个键及其剩余时间；对于锁，还显示所用的库、持有者和问题。</translation>
    </message>
    <message>
        <source>Runs clients and private servers as processes that you can pause, crash and restart.</source>
        <translation>以进程的形式运行客户端和私有服务器，可以暂停、使其崩溃和重启。</translation>
    </message>
    <message>
        <source>Plays a flawed lock beside a sound one, step by step, and searches for races.</source>
        <translation>并排逐步播放有缺陷的锁和可靠的锁，并查找竞态。</translation>
    </message>
    <message>
        <source>Measures which keys stay for ever and how late the others expire.</source>
        <translation>测量哪些键永远留存，以及其他键过期得有多晚。</translation>
    </message>
    <message>
        <source>Edit the server&apos;s URL</source>
        <translation>编辑服务器的 URL</translation>
    </message>
    <message>
        <source>Choose a server…</source>
        <translation>选择服务器…</translation>
    </message>
    <message>
        <source>Connect again now</source>
        <translation>立即重新连接</translation>
    </message>
    <message>
        <source>Filter the keys</source>
        <translation>筛选键</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>To find a stuck lock, use the Inspector. To crash a holder before a class, use the Playground and the Stories. To test expiry, use the Expiry lab.</source>
        <translation>查找卡住的锁，请用检查器。在课堂上让持有者崩溃，请用演练场和故事。测试过期，请用过期实验室。</translation>
    </message>
    <message>
        <source>Help (F1)</source>
        <translation>帮助（F1）</translation>
    </message>
    <message>
        <source>Add a client</source>
        <translation>添加客户端</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Original text size</source>
        <translation>恢复文字大小</translation>
    </message>
    <message>
        <source>Play or pause the story</source>
        <translation>播放或暂停故事</translation>
    </message>
    <message>
        <source>Take one step of the story</source>
        <translation>把故事走一步</translation>
    </message>
    <message>
        <source>Go back to the start of the story</source>
        <translation>回到故事的开头</translation>
    </message>
    <message>
        <source>Find races in the recipe of the story</source>
        <translation>在故事的方案中查找竞态</translation>
    </message>
    <message>
        <source>Check a program for races…</source>
        <translation>检查程序中的竞态…</translation>
    </message>
    <message>
        <source>Open a story…</source>
        <translation>打开故事…</translation>
    </message>
    <message>
        <source>Show the experiment</source>
        <translation>显示实验</translation>
    </message>
    <message>
        <source>Run or cancel the experiment</source>
        <translation>运行或取消实验</translation>
    </message>
    <message>
        <source>Show the expectations</source>
        <translation>显示期望</translation>
    </message>
    <message>
        <source>Check or stop the expectations</source>
        <translation>检查或停止期望</translation>
    </message>
    <message>
        <source>Show the forecast</source>
        <translation>显示预测</translation>
    </message>
    <message>
        <source>Full screen or presentation</source>
        <translation>全屏或演示</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Shows the locks of independent servers with the votes of each server, as redlock counts them.</source>
        <translation>显示各独立服务器上的锁，以及每台服务器的投票，与 redlock 的计票相同。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::NavigationRail</name>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language: %1</source>
        <translation>语言：%1</translation>
    </message>
    <message>
        <source>Language of the window</source>
        <translation>窗口的语言</translation>
    </message>
    <message>
        <source>Colours: %1</source>
        <translation>颜色：%1</translation>
    </message>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Colours: desktop, light or dark</source>
        <translation>颜色：跟随桌面、浅色或深色</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>All actions of the window, and the help</source>
        <translation>窗口的所有操作，以及帮助</translation>
    </message>
    <message>
        <source>Change the colours: desktop, light or dark</source>
        <translation>切换配色：跟随桌面、浅色或深色</translation>
    </message>
    <message>
        <source>Show the alerts and their rules</source>
        <translation>显示警报及其规则</translation>
    </message>
    <message>
        <source>Alerts (%1)</source>
        <translation>警报 (%1)</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>警报</translation>
    </message>
    <message>
        <source>Alerts: %1</source>
        <translation>警报：%1</translation>
    </message>
    <message>
        <source>Alerts and their rules (%1)</source>
        <translation>警报及其规则 (%1)</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::PasswordNotice</name>
    <message>
        <source>Enter password…</source>
        <translation>输入密码…</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::ServerQuestions</name>
    <message>
        <source>Password for %1</source>
        <translation>%1 的密码</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Proxy user</source>
        <translation>代理的用户</translation>
    </message>
    <message>
        <source>Proxy password</source>
        <translation>代理的密码</translation>
    </message>
    <message>
        <source>The password is kept in memory only, while the window is connected.</source>
        <translation>密码仅在窗口保持连接期间保存在内存中。</translation>
    </message>
    <message>
        <source>User at the sentinels</source>
        <translation>哨兵处的用户</translation>
    </message>
    <message>
        <source>Password at the sentinels</source>
        <translation>哨兵处的密码</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::ServerUrlEdit</name>
    <message>
        <source>Server URL</source>
        <translation>服务器 URL</translation>
    </message>
    <message>
        <source>redis://host:6379 or unix:///path/to.sock</source>
        <translation>redis://host:6379 或 unix:///path/to.sock</translation>
    </message>
    <message>
        <source>Enter another URL and press Return to connect to it (Ctrl+L)</source>
        <translation>输入另一个 URL 并按回车键连接（Ctrl+L）</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::TrustQuestions</name>
    <message>
        <source>Show certificate…</source>
        <translation>显示证书…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>SSH asks</source>
        <translation>SSH 在询问</translation>
    </message>
    <message>
        <source>SSH needs a secret</source>
        <translation>SSH 需要机密</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Do not connect</source>
        <translation>不连接</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Trust this host</source>
        <translation>信任此主机</translation>
    </message>
    <message>
        <source>Trust this host?</source>
        <translation>这是正确的主机吗？</translation>
    </message>
    <message>
        <source>The answer is passed to ssh and not stored.</source>
        <translation>它会交给 ssh，不作任何保存。</translation>
    </message>
    <message>
        <source>Compare the fingerprint with the value from the host&apos;s administrator. If you trust it, ssh adds it to your known hosts.</source>
        <translation>请把指纹与主机管理员给出的值核对。如果您信任它，ssh 会把它加入您的已知主机（known_hosts）。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::shell::Workspace</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The private server has ended unexpectedly.</source>
        <translation>私有服务器意外结束了。</translation>
    </message>
    <message>
        <source>Start another</source>
        <translation>另启动一台</translation>
    </message>
    <message>
        <source>No server answers at %1. Latchkey has started a private one, which ends with the window.</source>
        <translation>%1 没有服务器应答，因此 Latchkey 启动了一台私有服务器，窗口关闭时它就消失。</translation>
    </message>
    <message>
        <source>Waiting for the keychain with the password of &quot;%1&quot;. Unlock it if asked.</source>
        <translation>正在向钥匙串索取“%1”的密码；可能需要将其解锁。</translation>
    </message>
    <message>
        <source>Continue without</source>
        <translation>不用它继续</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::AlternativeView</name>
    <message>
        <source>flawed</source>
        <translation>有缺陷</translation>
    </message>
    <message>
        <source>sound</source>
        <translation>可靠</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Press Play or Step: the sequence is drawn here.</source>
        <translation>播放或单步，发生的事会画在这里。</translation>
    </message>
    <message>
        <source>Failed: %1</source>
        <translation>未通过：%1</translation>
    </message>
    <message>
        <source>Passed: all expectations were met.</source>
        <translation>通过：所有期望都已满足。</translation>
    </message>
    <message>
        <source>Unknown: the story could not be completed.</source>
        <translation>未知：故事未能进行到底。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::ProgramForm</name>
    <message>
        <source>Insert a file…</source>
        <translation>插入文件…</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>The program and its arguments</source>
        <translation>程序及其参数</translation>
    </message>
    <message>
        <source>python3 worker.py</source>
        <translation>python3 worker.py</translation>
    </message>
    <message>
        <source>order:1</source>
        <translation>order:1</translation>
    </message>
    <message>
        <source>cart:* user:*</source>
        <translation>cart:* user:*</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>命令(&amp;C)</translation>
    </message>
    <message>
        <source>C&amp;lients</source>
        <translation>客户端(&amp;L)</translation>
    </message>
    <message>
        <source>Insert a file</source>
        <translation>插入文件</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>The command as in a terminal, but without a shell: quote words with spaces by double quotes; $, | and &gt; are plain characters. The command is not saved.</source>
        <translation>命令与在终端中一样，但没有 shell：带空格的词放在双引号里；$、| 和 &gt; 是普通字符。命令不会保存。</translation>
    </message>
    <message>
        <source>Inserts the path of a file at the cursor</source>
        <translation>在命令中光标所在之处插入文件的路径</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>程序启动时所在的文件夹</translation>
    </message>
    <message>
        <source>Choose the working folder</source>
        <translation>选择程序启动时所在的文件夹</translation>
    </message>
    <message>
        <source>Number of clients</source>
        <translation>客户端数量</translation>
    </message>
    <message>
        <source>Key that all clients work on</source>
        <translation>所有客户端共用的键</translation>
    </message>
    <message>
        <source>Key that all clients read and write, for lost-update</source>
        <translation>所有客户端都读写的键，用于 lost-update</translation>
    </message>
    <message>
        <source>Fixed port</source>
        <translation>程序固定使用的端口</translation>
    </message>
    <message>
        <source>For a program that always connects to 127.0.0.1 at this port. Each process then has its own network namespace, if the system allows that (--fixed-port).</source>
        <translation>无论环境变量怎样说，程序都连接 127.0.0.1 的这个端口时填写：那时每个进程都有自己的网络，前提是系统允许（--fixed-port）。</translation>
    </message>
    <message>
        <source>Keys without expiry</source>
        <translation>没有过期时间的键</translation>
    </message>
    <message>
        <source>Patterns of keys that need no expiry, separated by spaces. Any other key without expiry breaks no-immortal-key.</source>
        <translation>可以永远保留的键的模式，以空格分隔。任何其他永不过期的键都会打破 no-immortal-key。</translation>
    </message>
    <message>
        <source>&amp;Folder</source>
        <translation>文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Shared key</source>
        <translation>共用的键(&amp;S)</translation>
    </message>
    <message>
        <source>Persis&amp;tent data</source>
        <translation>可保留的数据(&amp;T)</translation>
    </message>
    <message>
        <source>F&amp;ixed port</source>
        <translation>固定端口(&amp;I)</translation>
    </message>
    <message>
        <source>Enter the command of the program.</source>
        <translation>哪个程序？像在终端中那样写出它的命令。</translation>
    </message>
    <message>
        <source>Number of servers</source>
        <translation>服务器数</translation>
    </message>
    <message>
        <source>For a lock on a majority of several servers. REDIS_URLS and REDIS_HOSTS name the servers of a process, separated by commas (--servers).</source>
        <translation>用于由几台服务器的多数持有的锁。REDIS_URLS 和 REDIS_HOSTS 列出进程的服务器，以逗号分隔（--servers）。</translation>
    </message>
    <message>
        <source>Ser&amp;vers</source>
        <translation>服务器(&amp;V)</translation>
    </message>
    <message>
        <source>Each client is a process of the program, with its own private server. The server&apos;s address is in REDIS_URL, or REDIS_HOST and REDIS_PORT. No other server is used. The program sends ECHO latchkey:inside:NAME when it has the lock and ECHO latchkey:outside:NAME before it releases the lock, or patterns name its commands; otherwise only its data is checked.</source>
        <translation>每个客户端都是该程序的一个进程，与自己的私有服务器对话：环境变量 REDIS_URL，或 REDIS_HOST 与 REDIS_PORT，说明它在哪里。不会触及其他服务器。程序用 ECHO latchkey:inside:NAME 说明自己在里面，并在放开锁之前用 ECHO latchkey:outside:NAME 说明已在外面，或者由模式指出这些命令；没有这些时只判断它的数据。</translation>
    </message>
    <message>
        <source>Keys that are locks</source>
        <translation>作为锁的键</translation>
    </message>
    <message>
        <source>lock:*</source>
        <translation>lock:*</translation>
    </message>
    <message>
        <source>Patterns of keys that are locks, separated by spaces, for owner-only-release. Without them, the search finds the locks (--lock).</source>
        <translation>作为锁的键的模式，用空格分隔，用于 owner-only-release。不填时由搜索找出锁（--lock）。</translation>
    </message>
    <message>
        <source>Commands after which a client is inside</source>
        <translation>客户端由此进入的命令</translation>
    </message>
    <message>
        <source>SET lock * NX</source>
        <translation>SET lock * NX</translation>
    </message>
    <message>
        <source>Patterns of commands after which a client has the lock, separated by semicolons, for a program that sends no ECHO. The reply must be a success, or match one word after -&gt; (--inside).</source>
        <translation>客户端由此取得锁的命令的模式，用分号分隔，用于不发送 ECHO 的程序。应答必须是成功，或者与 -&gt; 之后的一个词相符（--inside）。</translation>
    </message>
    <message>
        <source>Commands after which a client is outside</source>
        <translation>客户端由此离开的命令</translation>
    </message>
    <message>
        <source>DEL lock</source>
        <translation>DEL lock</translation>
    </message>
    <message>
        <source>Patterns of commands after which a client no longer has the lock, separated by semicolons (--outside).</source>
        <translation>客户端由此不再持有锁的命令的模式，用分号分隔（--outside）。</translation>
    </message>
    <message>
        <source>Loc&amp;ks</source>
        <translation>锁(&amp;K)</translation>
    </message>
    <message>
        <source>I&amp;nside after</source>
        <translation>进入命令(&amp;N)</translation>
    </message>
    <message>
        <source>O&amp;utside after</source>
        <translation>离开命令(&amp;U)</translation>
    </message>
    <message>
        <source>Enter the command after which a client is outside.</source>
        <translation>请输入客户端由此离开的命令。</translation>
    </message>
    <message>
        <source>Enter the command after which a client is inside.</source>
        <translation>请输入客户端由此进入的命令。</translation>
    </message>
    <message>
        <source>Faults of servers</source>
        <translation>服务器的故障</translation>
    </message>
    <message>
        <source>Faults of servers have promises of their own, such as failover-safe. If one is chosen, only these promises are checked (--promise).</source>
        <translation>服务器的故障有自己的保证，例如 failover-safe。选择之后，只检验这些保证（--promise）。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Server faults</source>
        <translation>服务器故障</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::ProgramPanel</name>
    <message>
        <source>Race finder · %1: %2</source>
        <translation>竞态查找器 · %1：%2</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Elapsed time</source>
        <translation>时间已过去多少</translation>
    </message>
    <message>
        <source>Check a program for races</source>
        <translation>检查程序中的竞态</translation>
    </message>
    <message>
        <source>Show results</source>
        <translation>显示结果</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::ProgramWords</name>
    <message>
        <source>Does not apply: no shared key is named</source>
        <translation>不适用：没有指明共用的键</translation>
    </message>
    <message>
        <source>Broken: %1</source>
        <translation>被打破：%1</translation>
    </message>
    <message>
        <source>Holds in all %1 schedules</source>
        <translation>成立：全部 %1 个调度</translation>
    </message>
    <message>
        <source>%1: %2 states, %3 steps deep; %4 processes started; %5 steps a second; %6 s</source>
        <translation>%1：%2 个状态，深 %3 步；已启动 %4 个进程；每秒 %5 步；%6 秒</translation>
    </message>
    <message>
        <source>Does not apply: the program sent no ECHO latchkey:inside</source>
        <translation>不适用：程序从未说过自己在里面</translation>
    </message>
    <message>
        <source>Does not apply: the program did not use %1</source>
        <translation>不适用：它没有用过 %1</translation>
    </message>
    <message>
        <source>Holds in the first %1 states: stopped</source>
        <translation>成立：前 %1 个状态；在那里被停止</translation>
    </message>
    <message>
        <source>Holds in the first %1 states: limit reached</source>
        <translation>成立：前 %1 个状态；在那里到达了界限</translation>
    </message>
    <message>
        <source>Unknown: not reached by the search</source>
        <translation>未知：搜索没有进行到这里</translation>
    </message>
    <message>
        <source>Starting a private server and a single client…</source>
        <translation>正在启动私有服务器和单独一个客户端…</translation>
    </message>
    <message>
        <source>Stopped early: these are the results so far.</source>
        <translation>提前停止：这里是到目前为止的结果。</translation>
    </message>
    <message>
        <source>Time limit reached: these are the results so far.</source>
        <translation>已到时限：这里是到目前为止的结果。</translation>
    </message>
    <message>
        <source>The search failed: %1</source>
        <translation>搜索失败：%1</translation>
    </message>
    <message>
        <source>Broken promises: %1. Select one to play it.</source>
        <translation>被打破的保证：%1 项。选择一项并播放。</translation>
    </message>
    <message>
        <source>No promise is broken in any schedule within these limits.</source>
        <translation>在这些界限之内的所有调度中，没有保证被打破。</translation>
    </message>
    <message>
        <source>No promise is broken in the schedules searched so far.</source>
        <translation>在已搜索的调度中，没有保证被打破。</translation>
    </message>
    <message>
        <source>%1 steps in %2 s; %3 processes started.</source>
        <translation>%1 步，用时 %2 秒，为此启动了 %3 个进程。</translation>
    </message>
    <message>
        <source>Does not apply: no command of the program matches the pattern for inside</source>
        <translation>不适用：程序没有任何命令与进入命令的模式相符</translation>
    </message>
    <message>
        <source>Deadlock in some schedules (%1). latchkey-cli explore shows the shortest one.</source>
        <translation>某些调度中出现死锁（%1）。latchkey-cli explore 会显示最短的一个。</translation>
    </message>
    <message>
        <source>Does not apply: %1</source>
        <translation>不适用：%1</translation>
    </message>
    <message>
        <source>%1, at most %2</source>
        <comment>limits of a search</comment>
        <translation>%1，最多 %2</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::RaceAnswers</name>
    <message>
        <source>Promise</source>
        <translation>保证</translation>
    </message>
    <message>
        <source>Claimed</source>
        <translation>声称</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>The shortest schedule that breaks the promise</source>
        <translation>打破该保证的最短调度</translation>
    </message>
    <message>
        <source>claimed</source>
        <translation>声称有</translation>
    </message>
    <message>
        <source>not claimed</source>
        <translation>未声称</translation>
    </message>
    <message>
        <source>Play the shortest counterexample</source>
        <translation>播放最短的反例</translation>
    </message>
    <message>
        <source>Promises and verdicts</source>
        <translation>各项保证以及竞态查找器的结论</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::RacePanel</name>
    <message>
        <source>2 to 4 clients</source>
        <translation>2 到 4 个客户端</translation>
    </message>
    <message>
        <source>Race finder · %1</source>
        <translation>竞态查找器 · %1</translation>
    </message>
    <message>
        <source>Broken with %1: %2</source>
        <translation>被打破（%1）：%2</translation>
    </message>
    <message>
        <source>Holds in all %1 schedules of %2</source>
        <translation>成立：%2，全部 %1 个调度</translation>
    </message>
    <message>
        <source>Starting a private server…</source>
        <translation>正在启动私有服务器…</translation>
    </message>
    <message>
        <source>%1 with %2: %3 states of at most %4, %5 steps a second</source>
        <translation>%1（%2）：%3 个状态，最多 %4 个，每秒 %5 步</translation>
    </message>
    <message>
        <source>crashes, lapses</source>
        <translation>崩溃、到期失效</translation>
    </message>
    <message>
        <source>no crashes</source>
        <translation>不含崩溃</translation>
    </message>
    <message>
        <source>no lapses</source>
        <translation>不含到期失效</translation>
    </message>
    <message>
        <source>no faults</source>
        <translation>不含故障</translation>
    </message>
    <message>
        <source>Search progress</source>
        <translation>搜索的进度</translation>
    </message>
    <message>
        <source>Number of clients</source>
        <translation>客户端数量</translation>
    </message>
    <message>
        <source>2 to 4: starts with two, and adds clients while the promise holds and the search takes only seconds</source>
        <translation>2 到 4：从两个开始，只要保证仍成立且搜索只需几秒，就增加客户端</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>哪些故障</translation>
    </message>
    <message>
        <source>Holds in the first %1 states of %2: stopped</source>
        <translation>成立：%2，前 %1 个状态；在那里被停止</translation>
    </message>
    <message>
        <source>Holds in the first %1 states of %2: limit reached</source>
        <translation>成立：%2，前 %1 个状态；只查看这么远</translation>
    </message>
    <message>
        <source>Stopped early: these are the results so far.</source>
        <translation>提前停止：这里是到目前为止的结果。</translation>
    </message>
    <message>
        <source>Broken promises: %1. Select one to play it with real processes.</source>
        <translation>被打破的保证：%1。请选择一项，用真实的进程播放它。</translation>
    </message>
    <message>
        <source>Every promise holds in every order, with all allowed crashes and lapses.</source>
        <translation>每项保证在每种顺序、它所容许的每种崩溃和到期失效下都成立。</translation>
    </message>
    <message>
        <source>Every promise holds in every order, with all allowed crashes; lapses were excluded.</source>
        <translation>每项保证在每种顺序、它所容许的每种崩溃下都成立；略去了到期失效。</translation>
    </message>
    <message>
        <source>Every promise holds in every order, with all allowed lapses; crashes were excluded.</source>
        <translation>每项保证在每种顺序、它所容许的每种到期失效下都成立；略去了崩溃。</translation>
    </message>
    <message>
        <source>Every promise holds in every order; crashes and lapses were excluded.</source>
        <translation>每项保证在每种顺序下都成立；略去了崩溃和到期失效。</translation>
    </message>
    <message>
        <source>faults of servers</source>
        <translation>服务器的故障</translation>
    </message>
    <message>
        <source>Clients crash and leases end at every point that the promise allows. Without them, only the order of commands is explored. Faults of servers, such as a failover, have promises of their own.</source>
        <translation>客户端在保证所容许的每一处崩溃，租约在每一处结束。没有它们时，只探索命令的顺序。服务器的故障（例如故障转移）有自己的保证。</translation>
    </message>
    <message>
        <source>None of these promises applies to the recipe.</source>
        <translation>这些保证都不适用于该方案。</translation>
    </message>
    <message>
        <source>Every promise holds in every order, with at most %1.</source>
        <translation>在每种顺序中，最多 %1 时，每项保证都成立。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::RaceSearchPanel</name>
    <message>
        <source>Back to the story</source>
        <translation>回到故事</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Search again</source>
        <translation>再次查找</translation>
    </message>
    <message>
        <source>Find races</source>
        <translation>查找竞态</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::RecipeView</name>
    <message>
        <source>The script %1</source>
        <translation>脚本 %1</translation>
    </message>
    <message>
        <source>Click a script to show or hide it</source>
        <translation>点击脚本可显示或隐藏它</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::SearchLimitForm</name>
    <message>
        <source>C&amp;rashes</source>
        <translation>崩溃(&amp;R)</translation>
    </message>
    <message>
        <source>Expir&amp;ations</source>
        <translation>到期(&amp;A)</translation>
    </message>
    <message>
        <source>Timer st&amp;eps</source>
        <translation>计时步(&amp;E)</translation>
    </message>
    <message>
        <source>L&amp;ost replies</source>
        <translation>丢失的应答(&amp;O)</translation>
    </message>
    <message>
        <source>Pree&amp;mptions</source>
        <translation>抢占(&amp;M)</translation>
    </message>
    <message>
        <source>Sto&amp;p after</source>
        <translation>多久后停止(&amp;P)</translation>
    </message>
    <message>
        <source>Crashes per schedule</source>
        <translation>每个调度的崩溃次数</translation>
    </message>
    <message>
        <source>Number of processes that may crash in one schedule</source>
        <translation>一个调度中可能崩溃的进程数</translation>
    </message>
    <message>
        <source>Expirations per schedule</source>
        <translation>每个调度的到期次数</translation>
    </message>
    <message>
        <source>How often a lifetime may end in one schedule</source>
        <translation>一个调度中生存时间可以结束多少次</translation>
    </message>
    <message>
        <source>Timer steps per schedule</source>
        <translation>每个调度的计时步数</translation>
    </message>
    <message>
        <source>How often the clock may advance to the next timeout of a process</source>
        <translation>时钟可以前进到进程的下一个超时时刻的次数</translation>
    </message>
    <message>
        <source>Lost replies per schedule</source>
        <translation>每个调度丢失的应答</translation>
    </message>
    <message>
        <source>Commands that the server executes, with reply and connection lost</source>
        <translation>服务器执行了、但应答和连接丢失的命令数</translation>
    </message>
    <message>
        <source>Preemptions per schedule</source>
        <translation>每个调度的抢占次数</translation>
    </message>
    <message>
        <source>How often the turn may change although a client could continue. Most races need one or two; a limit reduces the number of schedules.</source>
        <translation>某个客户端本可继续，却轮到另一个的次数。大多数竞态只需一两次，而不超过这么多的调度要少得多。</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限次数</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>持续多久</translation>
    </message>
    <message>
        <source>10 seconds</source>
        <translation>10 秒</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10 分钟</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>The search stops after this time and reports its progress</source>
        <translation>到时停止，并说明进行到了哪里</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::ServerFaultForm</name>
    <message>
        <source>failovers</source>
        <translation>故障转移</translation>
    </message>
    <message>
        <source>restarts</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>clock jumps</source>
        <translation>时钟跳变</translation>
    </message>
    <message>
        <source>partitions</source>
        <translation>网络分区</translation>
    </message>
    <message>
        <source>Lost &amp;writes</source>
        <translation>丢失写入(&amp;W)</translation>
    </message>
    <message>
        <source>Save&amp;d</source>
        <translation>已保存(&amp;D)</translation>
    </message>
    <message>
        <source>Retur&amp;n</source>
        <translation>恢复(&amp;N)</translation>
    </message>
    <message>
        <source>Lost writes per fault</source>
        <translation>每次故障丢失的写入数</translation>
    </message>
    <message>
        <source>Largest number of a server&apos;s last writes that a failover loses, or a restart with everysec (--lost-writes)</source>
        <translation>一次故障转移、或 everysec 时的一次重启，最多丢失服务器的多少次最后写入（--lost-writes）</translation>
    </message>
    <message>
        <source>Data that a restarted server has saved</source>
        <translation>重启的服务器已保存的数据</translation>
    </message>
    <message>
        <source>What a restarted server has saved. none: nothing; everysec: all but its last writes; always: everything (--persistence)</source>
        <translation>重启的服务器保存了什么。none：什么也没有；everysec：除最后的写入之外的全部；always：全部（--persistence）</translation>
    </message>
    <message>
        <source>Time after which a restarted server can be reached</source>
        <translation>多久之后可以连到重启的服务器</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>立即</translation>
    </message>
    <message>
        <source>after all leases</source>
        <translation>所有租约结束后</translation>
    </message>
    <message>
        <source>How long a restarted server stays away (--restart-delay)</source>
        <translation>重启的服务器多久无法连接（--restart-delay）</translation>
    </message>
    <message>
        <source>Failovers</source>
        <translation>故障转移</translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>Clock jumps</source>
        <translation>时钟跳变</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>网络分区</translation>
    </message>
    <message>
        <source>Failovers per schedule</source>
        <translation>每个调度的故障转移次数</translation>
    </message>
    <message>
        <source>Largest number of failovers in one schedule (--failovers)</source>
        <translation>一个调度中故障转移的最大次数（--failovers）</translation>
    </message>
    <message>
        <source>Restarts per schedule</source>
        <translation>每个调度的重启次数</translation>
    </message>
    <message>
        <source>Largest number of restarts of servers in one schedule (--restarts)</source>
        <translation>一个调度中服务器重启的最大次数（--restarts）</translation>
    </message>
    <message>
        <source>Clock jumps per schedule</source>
        <translation>每个调度的时钟跳变次数</translation>
    </message>
    <message>
        <source>Largest number of jumps of a server&apos;s clock in one schedule (--clock-jumps)</source>
        <translation>一个调度中服务器时钟跳变的最大次数（--clock-jumps）</translation>
    </message>
    <message>
        <source>Partitions per schedule</source>
        <translation>每个调度的网络分区次数</translation>
    </message>
    <message>
        <source>Largest number of partitions in one schedule (--partitions)</source>
        <translation>一个调度中网络分区的最大次数（--partitions）</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::StoriesPage</name>
    <message>
        <source>from the race finder</source>
        <translation>由竞态查找器找到</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::StoryList</name>
    <message>
        <source>Check a program for races…</source>
        <translation>检查程序中的竞态…</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Stories</source>
        <translation>故事</translation>
    </message>
    <message>
        <source>Open a story</source>
        <translation>打开故事</translation>
    </message>
    <message>
        <source>Stories (*.json)</source>
        <translation>故事 (*.json)</translation>
    </message>
    <message>
        <source>file %1</source>
        <translation>您的文件 %1</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::stories::StoryView</name>
    <message>
        <source>Find races</source>
        <translation>查找竞态</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Exit (Esc)</source>
        <translation>退出 (Esc)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Speed of work and sentences; leases are shortened only if the story allows it</source>
        <translation>工作进行以及句子接续的快慢；只有故事允许时才缩短租约</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play again</source>
        <translation>再次播放</translation>
    </message>
    <message>
        <source>Question: %1</source>
        <translation>思考题：%1</translation>
    </message>
    <message>
        <source>Lesson: %1</source>
        <translation>结论：%1</translation>
    </message>
    <message>
        <source>Back to the start</source>
        <translation>回到开头</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::timeline::TimelineView</name>
    <message>
        <source>Holder: %1</source>
        <translation>持有者：%1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>acquired, and when</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Held for %1, until %2</source>
        <translation>持有 %1，到 %2</translation>
    </message>
    <message>
        <source>Held for %1 so far</source>
        <translation>至今已持有 %1</translation>
    </message>
    <message>
        <source>Timeline of locks</source>
        <translation>锁的时间线</translation>
    </message>
    <message>
        <source> @%1</source>
        <translation> @%1</translation>
    </message>
    <message>
        <source>No lock has been held since watching began.</source>
        <translation>自开始观察以来，还没有锁被持有。</translation>
    </message>
    <message>
        <source>A lane for each lock. Left and Right select a hold, Up and Down a lock, plus and minus zoom, Home goes to the beginning, End to now.</source>
        <translation>每把锁一条泳道。左右键在持有之间移动，上下键在锁之间移动，加号和减号缩放，Home 键到开头，End 键到现在。</translation>
    </message>
    <message>
        <source>Holder: unknown</source>
        <translation>持有者：未知</translation>
    </message>
    <message>
        <source>Another client held it at the same time.</source>
        <translation>同时还有另一个客户端持有它。</translation>
    </message>
    <message>
        <source>Extended once</source>
        <translation>续期 1 次</translation>
    </message>
    <message numerus="yes">
        <source>Extended %n times</source>
        <translation>
            <numerusform>续期 %n 次</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>latchkey::ui::trace</name>
    <message>
        <source>Over: %1.</source>
        <translation>结束：%1。</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>剩余 %1 秒</translation>
    </message>
    <message>
        <source>%1 of %2 commands named this key</source>
        <translation>%2 条命令中有 %1 条涉及此键</translation>
    </message>
    <message numerus="yes">
        <source>%Ln reads of this Latchkey hidden</source>
        <translation>
            <numerusform>省略了 %Ln 次由本 Latchkey 发出的读取</numerusform>
        </translation>
    </message>
    <message>
        <source>Ended: %1</source>
        <translation>已结束：%1</translation>
    </message>
    <message>
        <source>Nothing is sent until you press Start.</source>
        <translation>按下“开始”之前不会发送任何内容。</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 commands per second</source>
        <extracomment>%1: how much time is left, %2: how many commands were found, %3: a number of commands a second</extracomment>
        <translation>%1 · %2 · 每秒 %3 条命令</translation>
    </message>
    <message>
        <source>1 read of this Latchkey hidden</source>
        <translation>省略了 1 次由本 Latchkey 发出的读取</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::trace::TraceDialog</name>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Show this Latchkey&apos;s &amp;own reads</source>
        <translation>显示本 Latchkey 自己的读取(&amp;O)</translation>
    </message>
    <message>
        <source>Trace of a key</source>
        <translation>跟踪键</translation>
    </message>
    <message>
        <source>5 seconds</source>
        <translation>5 秒</translation>
    </message>
    <message>
        <source>10 seconds</source>
        <translation>10 秒</translation>
    </message>
    <message>
        <source>30 seconds</source>
        <translation>30 秒</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>5 minutes</source>
        <translation>5 分钟</translation>
    </message>
    <message>
        <source>&amp;For</source>
        <translation>持续(&amp;F)</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Related keys are included.</source>
        <translation>也会跟踪属于它的键。</translation>
    </message>
    <message>
        <source>Lists every command that names this key, as the server executes it.</source>
        <translation>在服务器执行时，列出涉及此键的每条命令。</translation>
    </message>
    <message>
        <source>The trace uses MONITOR, which reports every command of every client and slows the server down. In our measurement the server lost a third of its throughput, and two thirds with pipelined commands. Nothing is written. The trace ends automatically.</source>
        <translation>跟踪使用 MONITOR，它报告每个客户端的每条命令，会拖慢服务器。我们测得服务器损失三分之一的吞吐量，而在客户端以流水线发送命令时损失三分之二。不会写入任何内容。跟踪会自动结束。</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>持续多久</translation>
    </message>
    <message>
        <source>Reads that Latchkey sends to watch the key. Over a Unix socket MONITOR does not identify the client; reads with the same wording are then taken for Latchkey&apos;s.</source>
        <translation>Latchkey 为观察此键而发送的读取。经由 Unix 套接字时 MONITOR 不说明客户端；措辞相同的读取会被当作 Latchkey 的。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::widgets</name>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::widgets::Banner</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>latchkey::ui::widgets::MessageArea</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>stories</name>
    <message>
        <source>A basic lock&apos;s holder is killed: stuck for ever</source>
        <translation>基本锁的持有者被杀死：永远卡住</translation>
    </message>
    <message>
        <source>A client that releases has to prove that the lock is still its own, and the server has to look at the proof in the same step in which it deletes.</source>
        <translation>要释放的客户端必须证明锁仍是自己的，而服务器必须在删除的同一步中查看这一证明。</translation>
    </message>
    <message>
        <source>A constant in the lock</source>
        <translation>锁中是一个常量</translation>
    </message>
    <message>
        <source>A holder sleeps past its lease and wakes up believing</source>
        <translation>持有者睡过了租约，醒来仍然相信</translation>
    </message>
    <message>
        <source>A hot key expires under a crowd</source>
        <translation>热点键在众人访问时过期</translation>
    </message>
    <message>
        <source>A lease has to be longer than the longest normal piece of work, or be renewed while its holder lives.</source>
        <translation>租约必须长于最长的正常工作，或者在持有者活着时续期。</translation>
    </message>
    <message>
        <source>A lease is a safety net for holders that die. It has to come with the lock, in one step: between two steps there is room to die.</source>
        <translation>租约是为死去的持有者准备的安全网。它必须与锁在同一步中到来：两步之间就有死去的余地。</translation>
    </message>
    <message>
        <source>A lock that only its holder can end is a lock for ever, as soon as a holder dies.</source>
        <translation>只有持有者才能结束的锁，一旦持有者死去，就永远是锁着的。</translation>
    </message>
    <message>
        <source>A loser with a shorter lease</source>
        <translation>租约较短的失败者</translation>
    </message>
    <message>
        <source>A majority decides: the loss of a minority of the servers harms nothing, the loss of a majority stops everything, and never lets two in.</source>
        <translation>由多数决定：失去少数服务器毫无影响，失去多数则一切停下，但绝不会放进两个。</translation>
    </message>
    <message>
        <source>A placeholder first</source>
        <translation>先写占位符</translation>
    </message>
    <message>
        <source>A reader comes by.</source>
        <translation>来了一个读者。</translation>
    </message>
    <message>
        <source>A second acquire fails within the lease, and succeeds after it</source>
        <translation>第二次获取在租约之内失败，在租约之后成功</translation>
    </message>
    <message>
        <source>A second one.</source>
        <translation>又一个。</translation>
    </message>
    <message>
        <source>A second writer has placed its placeholder, and is about to give it its lifetime.</source>
        <translation>第二个写入者放好了占位符，正要给它生存时间。</translation>
    </message>
    <message>
        <source>A session is written to be forgotten after ten seconds. Its writer dies half way.</source>
        <translation>一个会话写入后十秒就该被忘掉。它的写入者中途死了。</translation>
    </message>
    <message>
        <source>A short lease that is renewed</source>
        <translation>会续期的短租约</translation>
    </message>
    <message>
        <source>A third one.</source>
        <translation>第三个。</translation>
    </message>
    <message>
        <source>A token changes who may release, and nothing about when the lease ends.</source>
        <translation>令牌改变的是谁可以释放，与租约何时结束无关。</translation>
    </message>
    <message>
        <source>A token in the lock</source>
        <translation>锁中是令牌</translation>
    </message>
    <message>
        <source>A transaction or a script leaves nothing half done. A placeholder makes the gap smaller and the reader&apos;s good intentions dangerous.</source>
        <translation>事务或脚本不会留下半成品。占位符让缝隙更小，也让读者的好意变得危险。</translation>
    </message>
    <message>
        <source>A value and its lifetime are written together or not at all.</source>
        <translation>值和它的生存时间要么一起写入，要么都不写入。</translation>
    </message>
    <message>
        <source>All ask for the same lease</source>
        <translation>大家要求同样的租约</translation>
    </message>
    <message>
        <source>All of it is atomic. Why is that not enough?</source>
        <translation>这一切都是原子的。为什么还不够？</translation>
    </message>
    <message>
        <source>And Bob acquires the lock.</source>
        <translation>于是 Bob 获取了锁。</translation>
    </message>
    <message>
        <source>Ann acquires the lock and begins to work.</source>
        <translation>Ann 获取锁，开始工作。</translation>
    </message>
    <message>
        <source>Ann acquires the lock for five minutes.</source>
        <translation>Ann 获取锁，为期五分钟。</translation>
    </message>
    <message>
        <source>Ann acquires the lock for six seconds, by a recipe that renews it.</source>
        <translation>Ann 用会续期的方案获取锁，为期六秒。</translation>
    </message>
    <message>
        <source>Ann acquires the lock for ten seconds, and begins a minute&apos;s work.</source>
        <translation>Ann 获取锁，为期十秒，并开始一分钟的工作。</translation>
    </message>
    <message>
        <source>Ann acquires the lock for ten seconds.</source>
        <translation>Ann 获取锁，为期十秒。</translation>
    </message>
    <message>
        <source>Ann asks all five for the lock; four grant it.</source>
        <translation>Ann 向五台都请求锁；四台给了。</translation>
    </message>
    <message>
        <source>Ann asks for the lock; two grant it, which does not decide.</source>
        <translation>Ann 请求锁；两台给了，这不足以决定。</translation>
    </message>
    <message>
        <source>Ann computes the page for the first time.</source>
        <translation>Ann 第一次计算该页面。</translation>
    </message>
    <message>
        <source>Ann did look. How can she still have deleted Bob&apos;s lock?</source>
        <translation>Ann 确实看过了。她怎么还会删掉 Bob 的锁？</translation>
    </message>
    <message>
        <source>Ann died between the two, and the lock is stuck for ever.</source>
        <translation>Ann 死在两步之间，锁就永远卡住了。</translation>
    </message>
    <message>
        <source>Ann dies with the lock in her hand. This time it has a lease, if she got so far.</source>
        <translation>Ann 手里拿着锁死了。这次它有租约，如果她来得及设置的话。</translation>
    </message>
    <message>
        <source>Ann goes home without releasing: her process ends.</source>
        <translation>Ann 没有释放就回家了：她的进程结束。</translation>
    </message>
    <message>
        <source>Ann has computed the page.</source>
        <translation>Ann 算好了页面。</translation>
    </message>
    <message>
        <source>Ann has overwritten what Bob wrote.</source>
        <translation>Ann 覆盖了 Bob 写入的内容。</translation>
    </message>
    <message>
        <source>Ann is done and releases what she takes for her lock.</source>
        <translation>Ann 做完了，释放她以为是自己的锁。</translation>
    </message>
    <message>
        <source>Ann is done and releases.</source>
        <translation>Ann 做完了，释放锁。</translation>
    </message>
    <message>
        <source>Ann is killed.</source>
        <translation>Ann 被杀死。</translation>
    </message>
    <message>
        <source>Ann looks whether the lock is still hers before she deletes it. Between the two it changes hands.</source>
        <translation>Ann 在删除之前先看锁是否还是她的。就在两者之间，锁易手了。</translation>
    </message>
    <message>
        <source>Ann misses it, and is about to compute it anew.</source>
        <translation>Ann 未命中，正要重新计算。</translation>
    </message>
    <message>
        <source>Ann releases on all that she can reach.</source>
        <translation>Ann 在她够得到的所有服务器上释放。</translation>
    </message>
    <message>
        <source>Ann wakes up. She has noticed nothing, and believes that the lock is hers.</source>
        <translation>Ann 醒来。她什么也没察觉，以为锁是自己的。</translation>
    </message>
    <message>
        <source>Ann works longer than her lease. When she releases at last, the lock is Bob&apos;s.</source>
        <translation>Ann 的工作超过了租约。等她终于释放时，锁已是 Bob 的。</translation>
    </message>
    <message>
        <source>Ann&apos;s DEL has removed Bob&apos;s lock: Bob and Carol are inside at once.</source>
        <translation>Ann 的 DEL 删掉了 Bob 的锁：Bob 和 Carol 同时在临界区内。</translation>
    </message>
    <message>
        <source>Ann&apos;s SETNX wins the lock. The EXPIRE is still to come.</source>
        <translation>Ann 的 SETNX 赢得了锁。EXPIRE 还没有来。</translation>
    </message>
    <message>
        <source>Ann&apos;s lease ends, or Bob has the lock already.</source>
        <translation>Ann 的租约结束，或者 Bob 已经得到了锁。</translation>
    </message>
    <message>
        <source>Ann&apos;s process is killed, and with it what renews the lock.</source>
        <translation>Ann 的进程被杀死，为锁续期的也随之消失。</translation>
    </message>
    <message>
        <source>Ann&apos;s token is not in the lock any more, so her release changes nothing.</source>
        <translation>锁中已不是 Ann 的令牌，所以她的释放什么也没改变。</translation>
    </message>
    <message>
        <source>Ann&apos;s work takes longer than her lease. She is alive and well, and no longer alone.</source>
        <translation>Ann 的工作超过了租约。她好好地活着，却不再是独自一人。</translation>
    </message>
    <message>
        <source>At this very moment her process is killed.</source>
        <translation>就在这一刻，她的进程被杀死。</translation>
    </message>
    <message>
        <source>Atomic is not the same as conditional: the lifetime may only be set by the client that has won.</source>
        <translation>原子的并不等于有条件的：只有赢得锁的客户端才可以设置生存时间。</translation>
    </message>
    <message>
        <source>Before she can write anything her process is stopped.</source>
        <translation>还没来得及写入，她的进程就被停住了。</translation>
    </message>
    <message>
        <source>Between which two commands did it go wrong, and which single command would have told C2?</source>
        <translation>错误出在哪两条命令之间？哪一条命令本可以让 C2 知道？</translation>
    </message>
    <message>
        <source>Bob acquires the lock.</source>
        <translation>Bob 获取锁。</translation>
    </message>
    <message>
        <source>Bob asks again, and is in.</source>
        <translation>Bob 再次请求，进去了。</translation>
    </message>
    <message>
        <source>Bob asks as well, and no server has a lock for him.</source>
        <translation>Bob 也来请求，没有一台服务器有锁给他。</translation>
    </message>
    <message>
        <source>Bob comes too early.</source>
        <translation>Bob 来得太早。</translation>
    </message>
    <message>
        <source>Bob comes while she does.</source>
        <translation>她正做着，Bob 来了。</translation>
    </message>
    <message>
        <source>Bob fares no better.</source>
        <translation>Bob 的运气也没有更好。</translation>
    </message>
    <message>
        <source>Bob finds the lock free and takes it.</source>
        <translation>Bob 发现锁空着，就拿走了。</translation>
    </message>
    <message>
        <source>Bob finds the lock free, and comes in.</source>
        <translation>Bob 发现锁空着，就进来了。</translation>
    </message>
    <message>
        <source>Bob finds the lock taken, today and for ever.</source>
        <translation>Bob 发现锁被占着，今天如此，永远如此。</translation>
    </message>
    <message>
        <source>Bob finds the lock taken.</source>
        <translation>Bob 发现锁被占着。</translation>
    </message>
    <message>
        <source>Bob has not had to wait long.</source>
        <translation>Bob 没有等多久。</translation>
    </message>
    <message>
        <source>Bob tries again and wins.</source>
        <translation>Bob 再试，赢了。</translation>
    </message>
    <message>
        <source>Bob tries again, and from now on as often as he has to.</source>
        <translation>Bob 再试，从现在起需要试多少次就试多少次。</translation>
    </message>
    <message>
        <source>Bob tries within the lease, and fails.</source>
        <translation>Bob 在租约之内尝试，失败了。</translation>
    </message>
    <message>
        <source>Bob wants the lock for five minutes, and loses.</source>
        <translation>Bob 想要锁五分钟，输了。</translation>
    </message>
    <message>
        <source>Bob wants the lock for two seconds. He loses, and Ann&apos;s lock has his lease.</source>
        <translation>Bob 想要锁两秒。他输了，Ann 的锁却得到了他的租约。</translation>
    </message>
    <message>
        <source>Bob wants to go on where she stopped, and finds the lock taken.</source>
        <translation>Bob 想接着她停下的地方做，却发现锁被占着。</translation>
    </message>
    <message>
        <source>Bob writes to the file.</source>
        <translation>Bob 写入文件。</translation>
    </message>
    <message>
        <source>Bob, who kept asking, was the first after the lease.</source>
        <translation>一直在请求的 Bob，成了租约之后的第一个。</translation>
    </message>
    <message>
        <source>C1 sees that the deadline is past, and is about to take the lock over.</source>
        <translation>C1 看到截止时间已过，正要接管锁。</translation>
    </message>
    <message>
        <source>C1 takes the lock over.</source>
        <translation>C1 接管了锁。</translation>
    </message>
    <message>
        <source>C2 has deleted C1&apos;s new lock and taken its place: both are inside.</source>
        <translation>C2 删掉了 C1 的新锁并取而代之：两个都在临界区内。</translation>
    </message>
    <message>
        <source>C2 sees the same at the same time.</source>
        <translation>C2 同时看到了同样的情况。</translation>
    </message>
    <message>
        <source>C3 acquires the lock for two seconds; the deadline is the lock&apos;s value.</source>
        <translation>C3 获取锁，为期两秒；截止时间就是锁的值。</translation>
    </message>
    <message>
        <source>C3 is killed.</source>
        <translation>C3 被杀死。</translation>
    </message>
    <message>
        <source>Carol asks as well, and the dead one&apos;s lock has another five minutes.</source>
        <translation>Carol 也来请求，死者的锁又多了五分钟。</translation>
    </message>
    <message>
        <source>Carol finds the lock free.</source>
        <translation>Carol 发现锁空着。</translation>
    </message>
    <message>
        <source>Carol is now where Bob was before.</source>
        <translation>Carol 现在处于 Bob 先前的境地。</translation>
    </message>
    <message>
        <source>Carol tries her luck, while Bob is still at work.</source>
        <translation>Bob 还在工作，Carol 来碰碰运气。</translation>
    </message>
    <message>
        <source>Compare and delete in one script</source>
        <translation>在一个脚本中比较并删除</translation>
    </message>
    <message>
        <source>Correct before SET had options: a script is one step as well.</source>
        <translation>在 SET 有选项之前，这是正确的写法：脚本也是一步。</translation>
    </message>
    <message>
        <source>Could Ann have looked at the clock before she wrote? Would that have been enough?</source>
        <translation>Ann 写入之前本可以看看时钟吗？那样就够了吗？</translation>
    </message>
    <message>
        <source>DEL, then SETNX</source>
        <translation>先 DEL，再 SETNX</translation>
    </message>
    <message>
        <source>EXPIRE in a transaction</source>
        <translation>事务中的 EXPIRE</translation>
    </message>
    <message>
        <source>EXPIRE only if SETNX has won</source>
        <translation>SETNX 赢得时才 EXPIRE</translation>
    </message>
    <message>
        <source>Five independent servers, and a lock that belongs to the client that has it on most of them.</source>
        <translation>五台独立的服务器，锁归在多数服务器上拿到它的客户端。</translation>
    </message>
    <message>
        <source>Five minutes for a minute&apos;s work</source>
        <translation>一分钟的工作给五分钟</translation>
    </message>
    <message>
        <source>Four are left and agree: Ann is inside, Bob is not.</source>
        <translation>还剩四台，而且意见一致：Ann 在临界区内，Bob 不在。</translation>
    </message>
    <message>
        <source>GET and then DEL loses the race that the script wins</source>
        <translation>先 GET 再 DEL 会输掉竞态，而脚本会赢</translation>
    </message>
    <message>
        <source>GET, compare, DEL</source>
        <translation>GET、比较、DEL</translation>
    </message>
    <message>
        <source>GETSET has told C2 what it replaced: a deadline that is not past. C1 is inside alone.</source>
        <translation>GETSET 告诉了 C2 它替换掉的是什么：一个没有过去的截止时间。只有 C1 在临界区内。</translation>
    </message>
    <message>
        <source>GETSET lets only one in. But the loser writes its own deadline over the winner&apos;s, which is harmless only where all ask for the same lease.</source>
        <translation>GETSET 只放进一个。但失败者会把自己的截止时间写到赢家的上面，只有大家要求同样的租约时才无害。</translation>
    </message>
    <message>
        <source>GETSET</source>
        <translation>GETSET</translation>
    </message>
    <message>
        <source>GETSET: P5 before P4, and only one is in</source>
        <translation>GETSET：P5 先于 P4，只进一个</translation>
    </message>
    <message>
        <source>HSET, then EXPIRE</source>
        <translation>先 HSET，再 EXPIRE</translation>
    </message>
    <message>
        <source>Her lease ends while she sleeps.</source>
        <translation>她睡着的时候，租约结束了。</translation>
    </message>
    <message>
        <source>Her process is killed in the middle of it. It has no chance to release anything.</source>
        <translation>她的进程中途被杀死，没有机会释放任何东西。</translation>
    </message>
    <message>
        <source>Her process is killed. The server knows nothing of it; the lease runs on.</source>
        <translation>她的进程被杀死。服务器对此一无所知；租约继续走着。</translation>
    </message>
    <message>
        <source>Her token was there when she looked, and Bob&apos;s when she deleted.</source>
        <translation>她查看时是她的令牌，她删除时已是 Bob 的。</translation>
    </message>
    <message>
        <source>Her work takes longer than that, and the server removes the lock.</source>
        <translation>她的工作超过了这个时间，服务器删除了锁。</translation>
    </message>
    <message>
        <source>How does Bob find out when to try again, and what does his asking cost the server?</source>
        <translation>Bob 怎么知道何时再试？他的请求让服务器付出什么代价？</translation>
    </message>
    <message>
        <source>How long does your longest normal piece of work take, on the worst day of the year?</source>
        <translation>在一年中最糟的一天，您最长的正常工作要用多久？</translation>
    </message>
    <message>
        <source>How long should the lease be, and what does it cost to make it longer?</source>
        <translation>租约应当多长？加长它的代价是什么？</translation>
    </message>
    <message>
        <source>How would you find such keys on a server that has been running for a year?</source>
        <translation>在一台运行了一年的服务器上，您怎么找出这样的键？</translation>
    </message>
    <message>
        <source>In this moment her lease ends.</source>
        <translation>就在这一刻，她的租约结束。</translation>
    </message>
    <message>
        <source>It has done so. The data is still to come.</source>
        <translation>它做了。数据还没有来。</translation>
    </message>
    <message>
        <source>It is killed, as soon as the value is there.</source>
        <translation>值一写入，它就被杀死。</translation>
    </message>
    <message>
        <source>It is killed.</source>
        <translation>它被杀死。</translation>
    </message>
    <message>
        <source>Its deadline passes. The key stays: no server ends it.</source>
        <translation>它的截止时间过了。键还在：没有服务器来结束它。</translation>
    </message>
    <message>
        <source>Its deadline passes.</source>
        <translation>它的截止时间过了。</translation>
    </message>
    <message>
        <source>Its time is over.</source>
        <translation>它的时间到了。</translation>
    </message>
    <message>
        <source>Looking and deleting have to be one step: a script, or a transaction that fails when the key has changed.</source>
        <translation>查看和删除必须是一步：用脚本，或者用键变化时会失败的事务。</translation>
    </message>
    <message>
        <source>Losers keep a dead holder&apos;s lock alive</source>
        <translation>失败者让已死持有者的锁一直活着</translation>
    </message>
    <message>
        <source>MULTI, HSET, PEXPIRE, EXEC</source>
        <translation>MULTI、HSET、PEXPIRE、EXEC</translation>
    </message>
    <message>
        <source>MULTI, SETNX, EXPIRE, EXEC is one step, and yet wrong: the EXPIRE takes effect whether or not the SETNX has won.</source>
        <translation>MULTI、SETNX、EXPIRE、EXEC 是一步，却还是错的：不管 SETNX 是否赢得，EXPIRE 都会生效。</translation>
    </message>
    <message>
        <source>No guard</source>
        <translation>没有守卫</translation>
    </message>
    <message>
        <source>No lock can stop a client that has lost it without noticing. The resource has to refuse it, and fencing numbers tell it whom.</source>
        <translation>没有哪把锁能拦住失去了锁却没有察觉的客户端。必须由资源来拒绝它，而栅栏编号告诉资源该拒绝谁。</translation>
    </message>
    <message>
        <source>No one command writes a hash and its lifetime. The writer dies before the lifetime, and a reader tidies up at the wrong moment.</source>
        <translation>没有一条命令能同时写入哈希和生存时间。写入者在设置生存时间之前死去，而读者在错误的时刻做了清理。</translation>
    </message>
    <message>
        <source>Nothing was carried out, so nothing is left.</source>
        <translation>什么也没有执行，所以什么也没有留下。</translation>
    </message>
    <message>
        <source>Now Bob is granted the lock.</source>
        <translation>现在 Bob 得到了锁。</translation>
    </message>
    <message>
        <source>Now P4&apos;s GETSET gives P5&apos;s deadline back, which is not past: P4 has lost.</source>
        <translation>现在 P4 的 GETSET 得到了 P5 的截止时间，它没有过去：P4 输了。</translation>
    </message>
    <message>
        <source>Now it is Bob&apos;s turn.</source>
        <translation>现在轮到 Bob。</translation>
    </message>
    <message>
        <source>One command as well, and older than the options of SET.</source>
        <translation>也是一条命令，比 SET 的选项更早。</translation>
    </message>
    <message>
        <source>One of five is down</source>
        <translation>五台中一台停机</translation>
    </message>
    <message>
        <source>One recomputes, the others get the old page</source>
        <translation>一个重算，其他得到旧页面</translation>
    </message>
    <message>
        <source>One recomputes, the others wait</source>
        <translation>一个重算，其他等待</translation>
    </message>
    <message>
        <source>One script</source>
        <translation>一个脚本</translation>
    </message>
    <message>
        <source>One server is killed.</source>
        <translation>一台服务器被杀死。</translation>
    </message>
    <message>
        <source>P3 acquires the lock for two seconds.</source>
        <translation>P3 获取锁，为期两秒。</translation>
    </message>
    <message>
        <source>P3 is dead. P4 sees it first, and P5 is faster. P4 has already written when it learns that it came too late.</source>
        <translation>P3 死了。P4 先看到，P5 更快。P4 得知自己来迟时，已经写入了。</translation>
    </message>
    <message>
        <source>P3 is killed.</source>
        <translation>P3 被杀死。</translation>
    </message>
    <message>
        <source>P4 asks for less</source>
        <translation>P4 要得更少</translation>
    </message>
    <message>
        <source>P4 has lost, and yet it has changed something. What, and does it matter?</source>
        <translation>P4 输了，却改变了什么。改变了什么？要紧吗？</translation>
    </message>
    <message>
        <source>P4 sees that the deadline is past. Its GETSET is still to come.</source>
        <translation>P4 看到截止时间已过。它的 GETSET 还没有来。</translation>
    </message>
    <message>
        <source>P4 wants the lock for two seconds only. Its GETSET is still to come.</source>
        <translation>P4 只想要锁两秒。它的 GETSET 还没有来。</translation>
    </message>
    <message>
        <source>P4&apos;s GETSET comes too late, and leaves its own deadline in P5&apos;s lock.</source>
        <translation>P4 的 GETSET 来得太迟，把自己的截止时间留在了 P5 的锁里。</translation>
    </message>
    <message>
        <source>P4&apos;s short deadline stands in P5&apos;s lock, and lets P6 in while P5 is still inside.</source>
        <translation>P4 的短截止时间留在 P5 的锁里，在 P5 仍在临界区内时放进了 P6。</translation>
    </message>
    <message>
        <source>P5 is deep in its work, and looks at nothing else.</source>
        <translation>P5 埋头工作，别的什么也不看。</translation>
    </message>
    <message>
        <source>P5 is inside alone. P4 has pushed its deadline a little, which does no harm.</source>
        <translation>只有 P5 在临界区内。P4 把它的截止时间推后了一点，没有害处。</translation>
    </message>
    <message>
        <source>P5 sees it as well, and its GETSET is first.</source>
        <translation>P5 也看到了，它的 GETSET 先到。</translation>
    </message>
    <message>
        <source>P5 takes the lock for five minutes.</source>
        <translation>P5 取得锁，为期五分钟。</translation>
    </message>
    <message>
        <source>P6 finds a deadline that is far away.</source>
        <translation>P6 看到的截止时间还很远。</translation>
    </message>
    <message>
        <source>P6 sees a past deadline, and takes the lock.</source>
        <translation>P6 看到已过的截止时间，取得了锁。</translation>
    </message>
    <message>
        <source>Redlock with one and with three of five servers down</source>
        <translation>五台服务器停一台与停三台时的 Redlock</translation>
    </message>
    <message>
        <source>Release is a DEL</source>
        <translation>释放就是 DEL</translation>
    </message>
    <message>
        <source>Release proves the holder</source>
        <translation>释放时证明是持有者</translation>
    </message>
    <message>
        <source>SET with NX and an expiry</source>
        <translation>带 NX 和过期时间的 SET</translation>
    </message>
    <message>
        <source>SET with NX</source>
        <translation>带 NX 的 SET</translation>
    </message>
    <message>
        <source>SET with an expiry</source>
        <translation>带过期时间的 SET</translation>
    </message>
    <message>
        <source>SET, then EXPIRE</source>
        <translation>先 SET，再 EXPIRE</translation>
    </message>
    <message>
        <source>SETEX, the older form</source>
        <translation>SETEX，旧写法</translation>
    </message>
    <message>
        <source>SETNX and its expiry in one script</source>
        <translation>SETNX 和过期时间在一个脚本中</translation>
    </message>
    <message>
        <source>SETNX, as it used to be done</source>
        <translation>SETNX，从前的写法</translation>
    </message>
    <message>
        <source>SETNX, then EXPIRE</source>
        <translation>先 SETNX，再 EXPIRE</translation>
    </message>
    <message>
        <source>She is deep in her work, and looks at nothing else.</source>
        <translation>她埋头工作，别的什么也不看。</translation>
    </message>
    <message>
        <source>She is done and begins to release. What deletes the lock is still to come.</source>
        <translation>她做完了，开始释放。删除锁的那条命令还没有来。</translation>
    </message>
    <message>
        <source>She is still at it when her lease ends.</source>
        <translation>租约结束时她还在做。</translation>
    </message>
    <message>
        <source>She works.</source>
        <translation>她在工作。</translation>
    </message>
    <message>
        <source>So does Carol.</source>
        <translation>Carol 也一样。</translation>
    </message>
    <message>
        <source>So she has given back what the two had granted.</source>
        <translation>于是她归还了那两台给她的。</translation>
    </message>
    <message>
        <source>So the lease ends after all.</source>
        <translation>租约终究结束了。</translation>
    </message>
    <message>
        <source>Ten seconds for a minute&apos;s work</source>
        <translation>一分钟的工作给十秒</translation>
    </message>
    <message>
        <source>That deadline passes.</source>
        <translation>那个截止时间过了。</translation>
    </message>
    <message>
        <source>The cache writer dies between SET and EXPIRE</source>
        <translation>缓存写入者死在 SET 与 EXPIRE 之间</translation>
    </message>
    <message>
        <source>The deadline stands in the lock itself, since the server ends nothing. C3 is dead; C1 and C2 both see that its time is over.</source>
        <translation>截止时间写在锁里，因为服务器不会结束任何东西。C3 死了；C1 和 C2 都看到它的时间已过。</translation>
    </message>
    <message>
        <source>The fields are there, and stay for ever.</source>
        <translation>字段在那里，而且永远留下。</translation>
    </message>
    <message>
        <source>The hash writer dies half way: four ways of writing compared</source>
        <translation>哈希写入者中途死去：四种写法</translation>
    </message>
    <message>
        <source>The holder is killed, and the lease frees the lock</source>
        <translation>持有者被杀死，租约放开了锁</translation>
    </message>
    <message>
        <source>The key has changed since WATCH, so EXEC carries nothing out.</source>
        <translation>自 WATCH 以来该键变化了，所以 EXEC 什么也没执行。</translation>
    </message>
    <message>
        <source>The key has no lifetime, and Bob can wait until he is old.</source>
        <translation>该键没有生存时间，Bob 等到老也等不到。</translation>
    </message>
    <message>
        <source>The lease is over, and the server removes the lock.</source>
        <translation>租约到期，服务器删除了锁。</translation>
    </message>
    <message>
        <source>The lease is too short: two clients inside</source>
        <translation>租约太短：两个客户端都进去了</translation>
    </message>
    <message>
        <source>The lease may be short, since Ann&apos;s process extends it for as long as it lives.</source>
        <translation>租约可以短，因为 Ann 的进程活着时会一直为它续期。</translation>
    </message>
    <message>
        <source>The lease was only a safety net: the release came first, as it should.</source>
        <translation>租约只是安全网：先来的是释放，正该如此。</translation>
    </message>
    <message>
        <source>The older command has the same flaw: the key has no lifetime.</source>
        <translation>更早的命令有同样的缺陷：该键没有生存时间。</translation>
    </message>
    <message>
        <source>The page expires.</source>
        <translation>页面过期。</translation>
    </message>
    <message>
        <source>The page was computed once; the others got it a little later.</source>
        <translation>页面只计算了一次；其他客户端稍晚一点得到。</translation>
    </message>
    <message>
        <source>The reader finds a placeholder and tidies it away, and with it the key.</source>
        <translation>读者发现占位符，把它清理掉，键也随之消失。</translation>
    </message>
    <message>
        <source>The reader&apos;s tidying made the second writer&apos;s data immortal, without any crash.</source>
        <translation>读者的清理让第二个写入者的数据永不过期，而谁也没有崩溃。</translation>
    </message>
    <message>
        <source>The resource has seen Bob&apos;s number, which is larger, and refused Ann.</source>
        <translation>资源见过 Bob 更大的编号，于是拒绝了 Ann。</translation>
    </message>
    <message>
        <source>The script is one step: fields and lifetime are both there.</source>
        <translation>脚本是一步：字段和生存时间都在。</translation>
    </message>
    <message>
        <source>The script sees Bob&apos;s token and deletes nothing.</source>
        <translation>脚本看到 Bob 的令牌，什么也没有删除。</translation>
    </message>
    <message>
        <source>The second writer writes its data, into a key that is new and has no lifetime.</source>
        <translation>第二个写入者把数据写进了一个新的、没有生存时间的键。</translation>
    </message>
    <message>
        <source>The server has freed the lock when the lease was over.</source>
        <translation>租约到期时，服务器放开了锁。</translation>
    </message>
    <message>
        <source>The session stays, and a thief of its number is logged in for ever.</source>
        <translation>会话留了下来，偷到它编号的人永远处于登录状态。</translation>
    </message>
    <message>
        <source>The writer is on its way to the lifetime.</source>
        <translation>写入者正要去设置生存时间。</translation>
    </message>
    <message>
        <source>The writer writes the session.</source>
        <translation>写入者写入会话。</translation>
    </message>
    <message>
        <source>There is no moment in which the value is there without a lifetime.</source>
        <translation>没有哪一刻值在而生存时间不在。</translation>
    </message>
    <message>
        <source>Those who lose change nothing, and the lock ends when Ann&apos;s lease does.</source>
        <translation>失败者什么也没改变，锁随 Ann 的租约结束。</translation>
    </message>
    <message>
        <source>Three clients have computed the same page at the same time.</source>
        <translation>三个客户端同时计算了同一页面。</translation>
    </message>
    <message>
        <source>Three of five are down</source>
        <translation>五台中三台停机</translation>
    </message>
    <message>
        <source>Time passes, and no lease ends, for there is none.</source>
        <translation>时间过去，没有租约结束，因为根本没有租约。</translation>
    </message>
    <message>
        <source>Time passes, and nothing changes.</source>
        <translation>时间过去，什么也没有改变。</translation>
    </message>
    <message>
        <source>Time passes.</source>
        <translation>时间过去。</translation>
    </message>
    <message>
        <source>To look and then to act are two steps, and what was seen may no longer be so. GETSET looks and acts in one.</source>
        <translation>先看再做是两步，看到的可能已不再成立。GETSET 一步之内又看又做。</translation>
    </message>
    <message>
        <source>Two seconds later Ann&apos;s lock is gone.</source>
        <translation>两秒之后，Ann 的锁没有了。</translation>
    </message>
    <message>
        <source>Two see a dead one&apos;s deadline: DEL and SETNX let both in</source>
        <translation>两个看到死者的截止时间：DEL 和 SETNX 把两个都放了进来</translation>
    </message>
    <message>
        <source>WATCH, GET, MULTI, DEL, EXEC</source>
        <translation>WATCH、GET、MULTI、DEL、EXEC</translation>
    </message>
    <message>
        <source>What a lease means for those who wait: busy, busy, busy, acquired.</source>
        <translation>租约对等待者意味着什么：忙、忙、忙、获取成功。</translation>
    </message>
    <message>
        <source>What does each way leave behind at each point at which its writer may die?</source>
        <translation>写入者在每一处死去时，每种写法各会留下什么？</translation>
    </message>
    <message>
        <source>What does the database behind the cache see in each of the three?</source>
        <translation>在这三种情况下，缓存背后的数据库各看到什么？</translation>
    </message>
    <message>
        <source>Why is three of five enough, and two not?</source>
        <translation>为什么五台中的三台就够，两台就不够？</translation>
    </message>
    <message>
        <source>With fencing numbers</source>
        <translation>有栅栏编号</translation>
    </message>
    <message>
        <source>Without fencing numbers</source>
        <translation>没有栅栏编号</translation>
    </message>
    <message>
        <source>A client reads the session.</source>
        <translation>一个客户端读取该会话。</translation>
    </message>
    <message>
        <source>A late DEL releases another client&apos;s lock</source>
        <translation>迟到的 DEL 释放了另一个客户端的锁</translation>
    </message>
    <message>
        <source>After a third of the lease her process extends it automatically.</source>
        <translation>过了租约的三分之一，她的进程自动为它续期。</translation>
    </message>
    <message>
        <source>All clients read the same page from the cache. It expires, and all of them miss it at once.</source>
        <translation>所有客户端都从缓存读取同一页面。它过期了，全部同时未命中。</translation>
    </message>
    <message>
        <source>Ann acquires a lock without a lease and dies. No client is left that could release it.</source>
        <translation>Ann 取得一把没有租约的锁，然后死了。再没有客户端能释放它。</translation>
    </message>
    <message>
        <source>Ann continues.</source>
        <translation>Ann 继续。</translation>
    </message>
    <message>
        <source>Ann is dead, and while other clients keep asking, her lock does not end.</source>
        <translation>Ann 死了，而只要别的客户端还在请求，她的锁就不会结束。</translation>
    </message>
    <message>
        <source>Ann&apos;s lease ends, because no client has changed it.</source>
        <translation>Ann 的租约结束，因为没有客户端动过它。</translation>
    </message>
    <message>
        <source>Ann&apos;s process is paused by the kernel, a garbage collector or a closed laptop. After that it continues where it stopped.</source>
        <translation>Ann 的进程被停住，因为内核、垃圾回收，或者笔记本合上了盖。之后它从原处继续。</translation>
    </message>
    <message>
        <source>Bob continues.</source>
        <translation>Bob 继续。</translation>
    </message>
    <message>
        <source>Bob tries again, for a while. No client is inside, and yet the lock is taken.</source>
        <translation>Bob 又试了一阵。临界区内没有客户端，锁却被占着。</translation>
    </message>
    <message>
        <source>Bob&apos;s attempt has shortened Ann&apos;s lease: Ann and Carol are inside, and no client has failed.</source>
        <translation>Bob 的尝试缩短了 Ann 的租约：Ann 和 Carol 都在临界区内，而没有客户端出故障。</translation>
    </message>
    <message>
        <source>C2 continues with its next command.</source>
        <translation>C2 继续它的下一条命令。</translation>
    </message>
    <message>
        <source>Carol continues.</source>
        <translation>Carol 继续。</translation>
    </message>
    <message>
        <source>How could the server know, when a DEL arrives, which client holds the lock?</source>
        <translation>DEL 到来时，服务器怎么能知道是哪个客户端持有锁？</translation>
    </message>
    <message>
        <source>She continues where she stopped, and writes to the file.</source>
        <translation>她从停下处继续，写入文件。</translation>
    </message>
    <message>
        <source>The lease limits the time that clients wait for a holder that never returns.</source>
        <translation>租约限定了客户端等待再也不回来的持有者的时间。</translation>
    </message>
    <message>
        <source>The page was computed once, and no client waited.</source>
        <translation>页面只计算了一次，没有客户端等待。</translation>
    </message>
    <message>
        <source>Two are inside, although no client crashed and every command did what it should.</source>
        <translation>两个同时在临界区内，虽然没有客户端崩溃，每条命令都做了该做的事。</translation>
    </message>
    <message>
        <source>Two of five are no majority: no client gets the lock, and none is wrongly inside.</source>
        <translation>五台中的两台不是多数：没有客户端得到锁，也没有谁错误地进入临界区。</translation>
    </message>
    <message>
        <source>What would the server have to know to release the lock automatically, and from where?</source>
        <translation>服务器要知道什么才能自动释放锁？从哪里得知？</translation>
    </message>
    <message>
        <source>With a lock around the recomputation, one client does the work. If the old value is kept for a while, no client has to wait.</source>
        <translation>给重算加上锁，就只有一个去做。把旧值再留一会儿，就没有客户端需要等。</translation>
    </message>
    <message>
        <source>A failover loses a lock</source>
        <translation>故障转移丢失锁</translation>
    </message>
    <message>
        <source>A lock with a token</source>
        <translation>带令牌的锁</translation>
    </message>
    <message>
        <source>A lock with fencing numbers</source>
        <translation>带栅栏编号的锁</translation>
    </message>
    <message>
        <source>A replica takes over for the server before it has received the lock of Ann.</source>
        <translation>一个副本接管服务器，而它还没有收到 Ann 的锁。</translation>
    </message>
    <message>
        <source>A server that forgets its votes must not vote again until every lease from before the restart is over.</source>
        <translation>忘记自己的票的服务器，在重启之前的每个租约都结束之前，不得再次投票。</translation>
    </message>
    <message>
        <source>After the jump, only one server is free: one jump is not enough, but a second one would be.</source>
        <translation>跳变之后只有一台服务器是空闲的：一次跳变不够，再来一次就够了。</translation>
    </message>
    <message>
        <source>After the jump, two servers are free, and Bob gets both votes while Ann is inside.</source>
        <translation>跳变之后有两台服务器是空闲的，Bob 得到这两票，而 Ann 还在内。</translation>
    </message>
    <message>
        <source>Ann and Bob are inside at once, and both have written.</source>
        <translation>Ann 和 Bob 同时在内，而且都写入了。</translation>
    </message>
    <message>
        <source>Ann asks all servers for the lock, and gets a majority.</source>
        <translation>Ann 向所有服务器请求锁，并得到多数。</translation>
    </message>
    <message>
        <source>Ann gets the votes of the other two servers: a majority.</source>
        <translation>Ann 得到另外两台服务器的票：多数。</translation>
    </message>
    <message>
        <source>Ann has all three votes</source>
        <translation>Ann 有全部三票</translation>
    </message>
    <message>
        <source>Ann has the lock on two of three servers, and one of the two restarts without its keys.</source>
        <translation>Ann 在三台服务器中的两台上有锁，而这两台之一重启后没有键。</translation>
    </message>
    <message>
        <source>Ann has two of three votes</source>
        <translation>Ann 有三票中的两票</translation>
    </message>
    <message>
        <source>Ann, who still believes that she holds the lock, writes too.</source>
        <translation>Ann 仍然认为自己持有锁，也写入。</translation>
    </message>
    <message>
        <source>Bob asks all servers for the lock.</source>
        <translation>Bob 向所有服务器请求锁。</translation>
    </message>
    <message>
        <source>Bob finds the lock free and acquires it.</source>
        <translation>Bob 发现锁是空闲的，并获取它。</translation>
    </message>
    <message>
        <source>Bob reaches two servers, and one of them has voted for Ann: one vote is no majority.</source>
        <translation>Bob 连到两台服务器，其中一台已投票给 Ann：一票不是多数。</translation>
    </message>
    <message>
        <source>Bob writes to the resource that the lock protects.</source>
        <translation>Bob 写入锁所保护的资源。</translation>
    </message>
    <message>
        <source>Dan gets the vote of the third server for himself.</source>
        <translation>Dan 为自己得到第三台服务器的票。</translation>
    </message>
    <message>
        <source>Dan has no majority, and gives his vote back.</source>
        <translation>Dan 没有多数，归还自己的票。</translation>
    </message>
    <message>
        <source>For how long does a restarted server have to stay away?</source>
        <translation>重启的服务器必须离开多久？</translation>
    </message>
    <message>
        <source>His process is killed before he has asked the others.</source>
        <translation>在他请求其他服务器之前，他的进程被杀死。</translation>
    </message>
    <message>
        <source>How many votes does a client have left after one jump?</source>
        <translation>一次跳变之后，一个客户端还剩几票？</translation>
    </message>
    <message>
        <source>Only her release shows that the lock is no longer hers.</source>
        <translation>直到她释放时，才知道锁已不再是她的。</translation>
    </message>
    <message>
        <source>Redlock relies on the clocks of the servers: a client with a bare majority loses it with one jump.</source>
        <translation>Redlock 依赖服务器的时钟：刚好有多数的客户端，一次跳变就会失去多数。</translation>
    </message>
    <message>
        <source>Redlock: a server restarts empty</source>
        <translation>Redlock：一台服务器重启后是空的</translation>
    </message>
    <message>
        <source>Redlock: the clock of a server jumps</source>
        <translation>Redlock：一台服务器的时钟跳变</translation>
    </message>
    <message>
        <source>Replication is asynchronous: a failover can lose the last writes, the lock and its fencing counter included.</source>
        <translation>复制是异步的：故障转移可能丢失最后的写入，包括锁和它的栅栏计数器。</translation>
    </message>
    <message>
        <source>The clock of one server jumps forward, so that the server ends a lease too early.</source>
        <translation>一台服务器的时钟向前跳变，所以服务器过早结束一个租约。</translation>
    </message>
    <message>
        <source>The clock of the first server jumps forward, past the end of the lease. PEXPIRE has the same effect here.</source>
        <translation>第一台服务器的时钟向前跳变，越过租约的结束。在这里 PEXPIRE 有同样的效果。</translation>
    </message>
    <message>
        <source>The counter is lost with the lock, so Bob gets the number of Ann again: the resource accepts both.</source>
        <translation>计数器与锁一同丢失，所以 Bob 再次得到 Ann 的编号：资源接受两者。</translation>
    </message>
    <message>
        <source>The first server removes the key of Ann, too early.</source>
        <translation>第一台服务器过早移除 Ann 的键。</translation>
    </message>
    <message>
        <source>The first server restarts, but is not reachable before all leases are over.</source>
        <translation>第一台服务器重启，但在所有租约结束之前无法连到。</translation>
    </message>
    <message>
        <source>The lease of Dan is nearly over. PEXPIRE shortens it here.</source>
        <translation>Dan 的租约快要结束。在这里 PEXPIRE 缩短它。</translation>
    </message>
    <message>
        <source>The restarted server has voted for Ann and for Bob: both have two of three votes.</source>
        <translation>重启的服务器既投票给 Ann，又投票给 Bob：两者都有三票中的两票。</translation>
    </message>
    <message>
        <source>The server stays away until all leases are over</source>
        <translation>所有租约结束之前，服务器不可连接</translation>
    </message>
    <message>
        <source>The server votes again at once</source>
        <translation>服务器立即再次投票</translation>
    </message>
    <message>
        <source>The third server is free to vote again.</source>
        <translation>第三台服务器可以再次投票。</translation>
    </message>
    <message>
        <source>Why does a fencing number not help here?</source>
        <translation>为什么栅栏编号在这里没有帮助？</translation>
    </message>
    <message>
        <source>Ann acquires the lock. The server replies OK before any replica has the write.</source>
        <translation>Ann 获取锁。服务器在任何副本拥有这次写入之前就应答 OK。</translation>
    </message>
    <message>
        <source>Ann counts the lock as hers only if WAIT 1 reports that a replica has it. Then the server fails.</source>
        <translation>只有 WAIT 1 报告某个副本已有锁时，Ann 才认为锁是她的。然后服务器发生故障。</translation>
    </message>
    <message>
        <source>Ann releases her lock on the promoted server.</source>
        <translation>Ann 在被提升的服务器上释放她的锁。</translation>
    </message>
    <message>
        <source>Ann sets the lock, and waits for one replica. WAIT 1 answers 0, so she releases the lock.</source>
        <translation>Ann 设置锁，并等待一个副本。WAIT 1 应答 0，所以她释放锁。</translation>
    </message>
    <message>
        <source>Ann sets the lock. WAIT 1 answers 1: the first replica has it, the second one does not.</source>
        <translation>Ann 设置锁。WAIT 1 应答 1：第一个副本有锁，第二个副本没有。</translation>
    </message>
    <message>
        <source>Ann sets the lock. WAIT 1 answers 1: the first replica has it.</source>
        <translation>Ann 设置锁。WAIT 1 应答 1：第一个副本有锁。</translation>
    </message>
    <message>
        <source>Bob sets the lock, and WAIT 1 answers 1. He is inside, as Ann is.</source>
        <translation>Bob 设置锁，WAIT 1 应答 1。他和 Ann 一样进入临界区。</translation>
    </message>
    <message>
        <source>Bob sets the lock. The promoted server has no replica, so WAIT 1 answers 0 again.</source>
        <translation>Bob 设置锁。被提升的服务器没有副本，所以 WAIT 1 又应答 0。</translation>
    </message>
    <message>
        <source>No replica can confirm the lock</source>
        <translation>没有副本能确认锁</translation>
    </message>
    <message>
        <source>The first replica has copied the data of the new server, and has no lock any more.</source>
        <translation>第一个副本已复制新服务器的数据，不再有锁。</translation>
    </message>
    <message>
        <source>The first server is killed and restarts. It has saved nothing.</source>
        <translation>第一台服务器被杀死并重启。它什么也没有保存。</translation>
    </message>
    <message>
        <source>The network between the server and its first replica fails.</source>
        <translation>服务器与第一个副本之间的网络出故障。</translation>
    </message>
    <message>
        <source>The network between the server and its replica fails. The server does not tell its clients.</source>
        <translation>服务器与副本之间的网络出故障。服务器不告诉它的客户端。</translation>
    </message>
    <message>
        <source>The network between the server and its second replica fails.</source>
        <translation>服务器与第二个副本之间的网络出故障。</translation>
    </message>
    <message>
        <source>The other replica is promoted</source>
        <translation>另一个副本被提升</translation>
    </message>
    <message>
        <source>The promoted replica has confirmed the lock: Bob is refused.</source>
        <translation>被提升的副本确认过锁：Bob 被拒绝。</translation>
    </message>
    <message>
        <source>The replica with the lock is promoted</source>
        <translation>有锁的副本被提升</translation>
    </message>
    <message>
        <source>The replica without the lock is promoted, and the one that had confirmed it deletes it: Ann and Bob are inside at once.</source>
        <translation>没有锁的副本被提升，确认过锁的副本又把锁删除：Ann 和 Bob 同时在临界区内。</translation>
    </message>
    <message>
        <source>The second replica is cut off too. The server does not tell its clients.</source>
        <translation>第二个副本也被切断。服务器不告诉它的客户端。</translation>
    </message>
    <message>
        <source>The server is killed, and the first replica is promoted.</source>
        <translation>服务器被杀死，第一个副本被提升。</translation>
    </message>
    <message>
        <source>The server is killed, and the replica is promoted. It lacks the last write of the server.</source>
        <translation>服务器被杀死，副本被提升。它缺少服务器的最后一次写入。</translation>
    </message>
    <message>
        <source>The server is killed, and the second replica is promoted. No client believes that it holds a lock.</source>
        <translation>服务器被杀死，第二个副本被提升。没有客户端认为自己持有锁。</translation>
    </message>
    <message>
        <source>The server is killed, and the second replica is promoted. The first one becomes its replica.</source>
        <translation>服务器被杀死，第二个副本被提升。第一个副本成为它的副本。</translation>
    </message>
    <message>
        <source>WAIT 1 answers 0, so Ann is not inside, and the failover loses no lock. Without a replica, no client gets the lock.</source>
        <translation>WAIT 1 应答 0，所以 Ann 不在临界区内，故障转移不会丢失任何锁。没有副本时，任何客户端都得不到锁。</translation>
    </message>
    <message>
        <source>WAIT counts replicas that have the write. It does not decide which replica is promoted.</source>
        <translation>WAIT 统计拥有这次写入的副本的数量。它不决定哪个副本被提升。</translation>
    </message>
    <message>
        <source>WAIT: a lock that a replica confirms</source>
        <translation>WAIT：由副本确认的锁</translation>
    </message>
    <message>
        <source>Which replica has to confirm a lock, so that a failover cannot lose it?</source>
        <translation>为了让故障转移不会丢失锁，哪个副本必须确认它？</translation>
    </message>
</context>
</TS>
