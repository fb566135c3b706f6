import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf, type StoreConnection } from '../connection.ts'
import { StoreClient } from '../storeClient.ts'

export type KeyWatchOptions = {
  /** A process created or changed the key with this id. */
  onChange(id: number): void
  /**
   * A notice of a process that may write usage, including this one; in the same order for all.
   * @default ignored
   */
  onNotice?: ((text: string) => void) | undefined
  /**
   * True: every change is reported from now on. False: changes may be missed until the next true.
   */
  onState?(isLive: boolean): void
}

export type KeyWatch = {
  /** Sends notices to all watchers; false if they may not have arrived. */
  tell(notices: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

const channel = 'chaintape_keys'
const noticeChannel = 'chaintape_key_notices'
// Any database role can notify. Only notices of sessions whose role could charge keys anyway count.
const sendersQuery = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND has_table_privilege(usesysid, 'usage', 'INSERT')`
// Another session may reuse a process id, so all are looked up again after a minute of probes.
const senderProbes = 60
// A silently broken connection is detected within three of these.
const probeMs = 1_000
const reconnectMsMin = 100
const reconnectMsMax = 5_000

/**
 * Listens for key changes on a connection of its own and reconnects while it is open. It sends
 * itself notices from time to time: only a returned notice proves that the connection still
 * delivers them.
 */
export function watchKeys(
  connection: StoreConnection,
  logger: Logger,
  { onChange, onNotice, onState }: KeyWatchOptions,
): KeyWatch {
  const closing = new AbortController()
  const { signal } = closing
  let isLive = false
  /** Sends notices on the current connection. */
  let notify: ((texts: readonly string[]) => Promise<unknown>) | null = null

  function setLive(next: boolean): void {
    if (next === isLive) return
    isLive = next
    logger.debug({ msg: 'Watching API keys', isLive })
    onState?.(next)
  }

  /** Resolves when the connection is lost or the watch is closed. */
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
    /** A connection handles one query at a time. */
    const ask = (text: string, values: readonly unknown[]): Promise<unknown> => {
      const answer = last.then(() => client.query(text, [...values]))
      last = answer.catch(() => undefined)
      return answer
    }
    /** By process id: may this session send notices? */
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
      // Notices arrive in order, so earlier ones were delivered, too.
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
