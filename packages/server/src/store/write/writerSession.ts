import type { Client } from 'pg'
import { tryLock } from '../advisoryLock.ts'
import type { Cursor } from '../blockWrite.ts'
import { clientConfigOf, type StoreConnection } from '../connection.ts'
import { WriterLockedError } from '../errors.ts'
import { type StoredHistory, storedHistoryColumns } from '../retention.ts'
import { StoreClient } from '../storeClient.ts'
import { type KnownDays, loadKnownDays } from './partitions.ts'
import { balanceStageSql } from './rows/stateRows.ts'

/** One chain's only writing connection. It holds the chain's lock as long as it lives. */
export type WriterSession = {
  client: Client
  knownDays: KnownDays
  cursor: Cursor
  history: StoredHistory
}

// A killed writer's session ends within milliseconds on the same machine, after its current
// statement.
export const writerLockWaitMs = 5_000

export async function openWriterSession(
  connection: StoreConnection,
  { chainId, chain, onLost }: { chainId: number; chain: string; onLost(): void },
): Promise<WriterSession> {
  const client = new StoreClient(clientConfigOf(connection, `chaintape writer ${chain}`))
  // A running statement fails by itself, too.
  client.on('error', onLost)
  try {
    await client.connect()
    if (!(await tryLock(client, 'writer', chainId, writerLockWaitMs)))
      throw new WriterLockedError({ chain })
    await client.query(balanceStageSql)
    const knownDays = await loadKnownDays(client, chainId)
    return { client, knownDays, ...(await loadWriterCursor(client, chainId)) }
  } catch (error) {
    closeClient(client)
    throw error
  }
}

/** Reads the end of the stored chain and the start of its history. */
export async function loadWriterCursor(
  client: Client,
  chainId: number,
): Promise<Pick<WriterSession, 'cursor' | 'history'>> {
  const { rows } = await client.query<Cursor & StoredHistory>(
    `SELECT seq, number, hash, ${storedHistoryColumns} FROM cursors WHERE chain = $1`,
    [chainId],
  )
  const { seq, number, hash, ...history } = rows[0]!
  return { cursor: { seq, number, hash }, history }
}

/** Does not wait: a hanging connection must not delay its successor. */
export function closeClient(client: Client): void {
  client.end().catch(() => undefined)
}
