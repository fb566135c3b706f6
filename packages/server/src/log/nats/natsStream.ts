import type { StoredMsg } from '@nats-io/jetstream'
import { type NatsServer, natsFault } from './natsServer.ts'
import { type MessageHeader, messageHeaderOf } from './stepMessages.ts'

/** A message with its number in the stream. */
export type StreamMessage = {
  at: number
  id: string
  place: MessageHeader
  bytes: Uint8Array
}

type StepSearchResult = {
  /** Number of its first message; if none was found, the next number when the search began. */
  firstAt: number
  message: StreamMessage | null
}

/** The stream of one chain. */
export type NatsStream = {
  name: string
  subject: string
  server: NatsServer
  /** Creates the stream unless it exists. */
  ensure(): Promise<void>
  /** Null if the stream was always empty. */
  last(): Promise<StreamMessage | null>
  /** Null if there is no message of this number, or no longer. */
  messageAt(at: number): Promise<StreamMessage | null>
  /**
   * The first step with a message for which `holds` is true; it must be true for all later
   * messages.
   */
  findFirst(holds: (message: StreamMessage) => boolean): Promise<StepSearchResult>
  /** Drops all messages before this one. */
  dropBefore(at: number): Promise<void>
}

const messageMissing = 10_037
const streamMissing = 10_059
const nsPerS = 1_000_000_000
// A message sent again within this time is recognized by its id, later by its place.
const duplicatesS = 120
const replicasMax = 3

/** `chainId` is the chain's id in the store: another history of the same chain has another one. */
export function openNatsStream(server: NatsServer, chainId: number): NatsStream {
  const { manager, options } = server
  const name = `${options.prefix}_${chainId}`
  const subject = `${options.prefix}.log.${chainId}`

  /** Result of a call; null if the message or stream does not exist. */
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
          place: messageHeaderOf(stored.header, name),
          bytes: stored.data,
        }

  const messageAt = async (at: number) =>
    messageOf(await asked(() => manager.streams.getMessage(name, { seq: at })))

  const info = () => asked(() => manager.streams.info(name))

  /** Null if it was dropped. */
  async function keptAt(at: number): Promise<StreamMessage | null> {
    const message = await messageAt(at)
    const state = message === null ? (await info())?.state : undefined
    // A newly elected leader may not know all of the stream.
    if (state !== undefined && state.first_seq <= at)
      throw natsFault(`message ${at} is not known yet`, server)
    return message
  }

  return {
    name,
    subject,
    server,
    messageAt,
    async ensure() {
      const found = await info()
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
      const { first_seq = 0, last_seq = 0 } = (await info())?.state ?? {}
      const first = Math.max(first_seq, 1)
      let found: StreamMessage | null = null
      let from = first
      for (let to = last_seq; from <= to; ) {
        const middle = Math.floor((from + to) / 2)
        const message = await keptAt(middle)
        // A message dropped meanwhile is before any that is searched for.
        if (message !== null && holds(message)) {
          found = message
          to = middle - 1
        } else from = middle + 1
      }
      // Parts of the next step may already be there.
      const nearest = found ?? (from > first ? await keptAt(from - 1) : null)
      const firstAt = nearest === null ? from : nearest.at - nearest.place.part
      return { firstAt: Math.max(firstAt, 1), message: found }
    },
    async dropBefore(at) {
      await asked(() => manager.streams.purge(name, { seq: at }))
    },
  }
}

function replicasOf({ options }: NatsServer): number {
  return options.replicas ?? (options.urls.length >= replicasMax ? replicasMax : 1)
}
