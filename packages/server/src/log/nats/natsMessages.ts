import type { ConsumerMessages } from '@nats-io/jetstream'
import { withinMs } from '../../lib/withinMs.ts'
import { natsFault } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'
import { messageHeaderOf } from './stepMessages.ts'

export type MessagesRange = {
  /** Number of the first message. */
  from: number
  /** Are there more messages? Asked after a silence. */
  isMore(): Promise<boolean>
  signal?: AbortSignal | undefined
}

// Larger pulls stall: servers send the requested bytes in one go.
const pullBytesMax = 8_000_000
// Servers send heartbeats to a waiting reader.
const heartbeatMs = 2_000
// After this silence the reader asks whether there is more: the connection may be dead.
const silentMsMax = 3_000

/**
 * Yields the messages of a stream in order, continuing with new ones. A lost server is a retryable
 * error.
 */
export async function* readMessages(
  stream: NatsStream,
  { from, isMore, signal }: MessagesRange,
): AsyncGenerator<StreamMessage, void, undefined> {
  const messages = await consume(stream, from)
  const end = () => messages.stop()
  signal?.addEventListener('abort', end, { once: true })
  try {
    const iterator = messages[Symbol.asyncIterator]()
    let next = iterator.next()
    while (signal?.aborted !== true) {
      const came = await withinMs(next, silentMsMax, 'silent' as const)
      if (came === 'silent') {
        if (await isMore()) throw natsFault(`nothing came for ${silentMsMax} ms`, stream.server)
        continue
      }
      if (came.done === true) return
      const { seq: at, headers, data: bytes } = came.value
      yield { at, id: '', place: messageHeaderOf(headers, stream.name), bytes }
      next = iterator.next()
    }
  } finally {
    signal?.removeEventListener('abort', end)
    void messages.close().catch(() => undefined)
  }
}

async function consume({ server, name }: NatsStream, from: number): Promise<ConsumerMessages> {
  const { DeliverPolicy } = await import('@nats-io/jetstream')
  try {
    const consumer = await server.client.consumers.get(name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    })
    return await consumer.consume({ max_bytes: pullBytesMax, idle_heartbeat: heartbeatMs })
  } catch (error) {
    throw natsFault(error, server)
  }
}
