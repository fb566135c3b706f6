// Watches the NATS stream of the first chain for acknowledged messages.
import { DeliverPolicy, jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import {
  type MessageHeader,
  messageHeaderOf,
  StepJoiner,
} from '../../packages/server/src/log/nats/stepMessages.ts'

export type SeenMessage = {
  place: MessageHeader
  bytes: number /** By the monotonic clock. */
  atMs: number
}

export type LogWatch = {
  /** The next message with which a new writer fences off earlier writers. */
  nextFence(): Promise<SeenMessage>
  /** The next complete entry. */
  nextEntry(): Promise<SeenMessage>
  /** Arrival of blocks by number, on the monotonic clock. */
  blocksMs: ReadonlyMap<number, number>
  close(): Promise<void>
}

const stream = 'chaintape_1'

export async function watchLog(urls: readonly string[]): Promise<LogWatch> {
  const connection = await connect({ servers: [...urls] })
  const consumer = await jetstream(connection).consumers.get(stream, {
    deliver_policy: DeliverPolicy.New,
  })
  const waiting = new Set<(message: SeenMessage) => void>()
  const blocksMs = new Map<number, number>()
  const joiner = new StepJoiner()
  const messages = await consumer.consume({
    callback({ headers, data }) {
      const place = messageHeaderOf(headers, stream)
      const seen = { place, bytes: data.length, atMs: performance.now() }
      for (const { type, ref } of joiner.put(place, data)?.entries ?? [])
        if (type === 'commit') blocksMs.set(ref.number, seen.atMs)
      for (const look of [...waiting]) look(seen)
    },
  })
  const next = (isWanted: (place: MessageHeader) => boolean) =>
    new Promise<SeenMessage>((found) => {
      const look = (message: SeenMessage) => {
        if (!isWanted(message.place)) return
        waiting.delete(look)
        found(message)
      }
      waiting.add(look)
    })
  return {
    blocksMs,
    nextFence: () => next(({ parts }) => parts === 0),
    nextEntry: () => next(({ part, parts }) => parts > 0 && part === parts - 1),
    async close() {
      await messages.close()
      await connection.close()
    },
  }
}
