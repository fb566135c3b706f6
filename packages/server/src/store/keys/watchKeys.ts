import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf, type StoreConnection } from '../connection.ts'
import { StoreClient } from '../storeClient.ts'

export type KeyWatchOptions = {
  /** A key with this id was made or changed, by any process. */
  onChange(id: number): void
  /** A notice of a process that may write usage, this one among them; in one order for all. @default not listened to */
  onNotice?: ((text: string) => void) | undefined
  /** True: from now on every change is told. False: changes may be missed until the next true. */
  onState?(isLive: boolean): void
}

export type KeyWatch = {
  /** Tells all who watch; false: perhaps nobody was told. */
  tell(notices: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

const channel = 'chaintape_keys'
const noticeChannel = 'chaintape_key_notices'
// Any role can notify: notices count only from sessions whose role could charge keys anyway.
const sendersQuery = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND has_table_privilege(usesysid, 'usage', 'INSERT')`
// A process id may pass to another session: after a minute of probes all are looked up again.
const senderProbes = 60
// A connection that is cut without a word is found out within three of these.
const probeMs = 1_000
const reconnectMsMin = 100
const reconnectMsMax = 5_000

/**
 * Listens on a connection of its own for changes of keys, and connects again for as long as it is open. Now and then
 * it sends itself a notice: only one that comes back shows that the connection, and what is between, still carries them.
 */
export function watchKeys(
  connection: StoreConnection,
  logger: Logger,
  { onChange, onNotice, onState }: KeyWatchOptions,
): KeyWatch {
  const closing = new AbortController()
  const { signal } = closing
  let isLive = false
  /** Of a connection that carries notices. */
  let notify: ((texts: readonly string[]) => Promise<unknown>) | null = null

  function setLive(next: boolean): void {
    if (next === isLive) return
    isLive = next
    logger.debug({ msg: 'Watching API keys', isLive })
    onState?.(next)
  }

  /** Resolves when the connection is lost or the watch closed. */
  async function listen(): Promise<void> {
    const client = new StoreClient({
      ...clientConfigOf(connection, 'chaintape keys'),
      connectionTimeoutMillis: reconnectMsMax,
    })
    const lost = new AbortController()
    const end = () => {
      lost.abort()
      void client.end().catch(() => undefined)
    }
    client.on('error', end)
    client.on('end', end)
    signal.addEventListener('abort', end, { once: true })
    let last: Promise<unknown> = Promise.resolve()
    /** A connection has one question at a time. */
    const ask = (text: string, values: readonly unknown[]): Promise<unknown> => {
      const answer = last.then(() => client.query(text, [...values]))
      last = answer.catch(() => undefined)
      return answer
    }
    /** Sessions of this database by process id: may they send notices? */
    const senders = new Map<number, boolean>()
    async function hear(payload: string, processId: number): Promise<void> {
      if (!senders.has(processId)) {
        senders.set(processId, false)
        const { rows } = (await ask(sendersQuery, [])) as { rows: { pid: number }[] }
        for (const { pid } of rows) senders.set(pid, true)
      }
      if (senders.get(processId)) onNotice?.(payload)
    }
    let heard = Promise.resolve()
    const name = randomUUID()
    let answered = 0
    client.on('notification', ({ channel: from, payload = '', processId }) => {
      if (from === noticeChannel) {
        heard = heard.then(() => hear(payload, processId)).catch(end)
        return
      }
      if (/^\d+$/.test(payload)) onChange(Number(payload))
      else if (payload.startsWith(name)) answered = Number(payload.slice(name.length + 1))
      // The notices before this one were delivered too, since they come in order.
      if (answered > 0) setLive(true)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      if (onNotice !== undefined) await client.query(`LISTEN ${noticeChannel}`)
      const text = 'SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notices(notice)'
      notify = (notices) => ask(text, [noticeChannel, notices])
      for (let asked = 1; !lost.signal.aborted; asked += 1) {
        if (asked % senderProbes === 0) senders.clear()
        ask('SELECT pg_notify($1, $2)', [channel, `${name} ${asked}`]).catch(end)
        await delay(probeMs, undefined, { signal: lost.signal }).catch(() => undefined)
        // A busy server may be a little late.
        if (answered < asked - 1) break
      }
    } finally {
      signal.removeEventListener('abort', end)
      notify = null
      setLive(false)
      end()
    }
  }

  async function run(): Promise<void> {
    for (let waitMs = reconnectMsMin; !signal.aborted; ) {
      const startedMs = performance.now()
      await listen().catch((error) => logger.debug({ msg: 'Failed to watch API keys', err: error }))
      const hadTime = performance.now() - startedMs > reconnectMsMax
      waitMs = hadTime ? reconnectMsMin : Math.min(2 * waitMs, reconnectMsMax)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async tell(notices) {
      try {
        await notify?.(notices)
        return notify !== null
      } catch (error) {
        logger.debug({ msg: 'Could not tell others of API keys', err: error })
        return false
      }
    },
    async close() {
      closing.abort()
      await running
    },
  }
}
