import type { StoredMsg } from '@nats-io/jetstream'
import { type NatsServer, natsFault } from './natsServer.ts'
import { decodePlace, type MessagePlace, placeHeader } from './stepMessages.ts'

/** A message with its number in the stream. */
export type StreamMessage = {
  at: number
  id: string
  place: MessagePlace
  bytes: Uint8Array
}

/** The stream of one chain. */
export type NatsStream = {
  name: string
  subject: string
  server: NatsServer
  /** Makes it, unless it is there. */
  ensure(): Promise<void>
  /** Null: nothing was ever put in. */
  last(): Promise<StreamMessage | null>
  /** Null: there is no message of this number, or no more. */
  messageAt(at: number): Promise<StreamMessage | null>
  /** The first message for which it holds; where it holds for one it does for all behind it. Null: for none. */
  findFirst(holds: (message: StreamMessage) => boolean): Promise<StreamMessage | null>
  /** Lets go of all messages before this one. */
  dropBefore(at: number): Promise<void>
}

const messageMissing = 10_037
const streamMissing = 10_059
const nsPerS = 1_000_000_000
// A message that is sent again within this time is known by its id; later its place in the stream tells.
const duplicatesS = 120
const replicasMax = 3

/** `chainId`: its number in the store, which another history of the same chain does not share. */
export function openNatsStream(server: NatsServer, chainId: number): NatsStream {
  const { manager, options } = server
  const name = `${options.prefix}_${chainId}`
  const subject = `${options.prefix}.log.${chainId}`

  /** What a call answers; null: there is no such message or stream. */
  async function asked<answer>(call: () => Promise<answer | null>): Promise<answer | null> {
    try {
      return await call()
    } catch (error) {
      const code = (error as { code?: number }).code
      if (code === messageMissing || code === streamMissing) return null
      throw natsFault(error, server)
    }
  }

  const messageOf = (stored: StoredMsg | null): StreamMessage | null =>
    stored === null
      ? null
      : {
          at: stored.seq,
          id: stored.header.get('Nats-Msg-Id'),
          place: decodePlace(stored.header.get(placeHeader)),
          bytes: stored.data,
        }

  const messageAt = async (at: number) =>
    messageOf(await asked(() => manager.streams.getMessage(name, { seq: at })))

  return {
    name,
    subject,
    server,
    messageAt,
    async ensure() {
      const found = await asked(() => manager.streams.info(name))
      if (found !== null) return
      await asked(() =>
        manager.streams.add({
          name,
          subjects: [subject],
          num_replicas: replicasOf(server),
          max_bytes: options.streamBytesMax,
          duplicate_window: duplicatesS * nsPerS,
          discard: 'new',
          storage: 'file',
          allow_direct: false,
        }),
      )
    },
    last: async () =>
      messageOf(await asked(() => manager.streams.getMessage(name, { last_by_subj: subject }))),
    async findFirst(holds) {
      const state = (await asked(() => manager.streams.info(name)))?.state
      if (state === undefined || state.messages === 0) return null
      let found: StreamMessage | null = null
      for (let [from, to] = [state.first_seq, state.last_seq]; from <= to; ) {
        const middle = Math.floor((from + to) / 2)
        const message = await messageAt(middle)
        // One that was let go of meanwhile is before any that is looked for.
        if (message !== null && holds(message)) {
          found = message
          to = middle - 1
        } else from = middle + 1
      }
      return found
    },
    async dropBefore(at) {
      await asked(() => manager.streams.purge(name, { seq: at }))
    },
  }
}

function replicasOf({ options }: NatsServer): number {
  return options.replicas ?? (options.urls.length >= replicasMax ? replicasMax : 1)
}
