import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf, type StoreConnection } from '../connection.ts'
import { StoreClient } from '../storeClient.ts'

export type KeyWatchOptions = {
  /** A process created or changed the key with this id. */
  onChange(id: number): void
  /**
   * True: every change is reported from now on. False: changes may be missed until the next true.
   */
  onState?(isLive: boolean): void
}

export type KeyWatch = {
  close(): Promise<void>
}

const channel = 'chaintape_keys'
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
  { onChange, onState }: KeyWatchOptions,
): KeyWatch {
  const closing = new AbortController()
  const { signal } = closing
  let isLive = false

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
    // A connection handles one query at a time.
    let probed: Promise<unknown> = Promise.resolve()
    const name = randomUUID()
    let answered = 0
    client.on('notification', ({ payload = '' }) => {
      if (/^\d+$/.test(payload)) onChange(Number(payload))
      else if (payload.startsWith(name)) answered = Number(payload.slice(name.length + 1))
      // Notices arrive in order, so earlier ones were delivered, too.
      if (answered > 0) setLive(true)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      for (let asked = 1; !lost.signal.aborted; asked += 1) {
        const values = [channel, `${name} ${asked}`]
        probed = probed.then(() => client.query('SELECT pg_notify($1, $2)', values)).catch(end)
        await delay(probeMs, undefined, { signal: lost.signal }).catch(() => undefined)
        // A busy server may be a little late.
        if (answered < asked - 1) break
      }
    } finally {
      signal.removeEventListener('abort', end)
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
    async close() {
      closing.abort()
      await running
    },
  }
}
