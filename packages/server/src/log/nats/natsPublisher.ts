import type { Msg, MsgHdrs, Subscription } from '@nats-io/transport-node'
import { answerMsMax } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'
import { encodeMessageHeader, messageHeaderName } from './stepMessages.ts'

/**
 * `fault` is null if the servers have the message; otherwise only the stream shows whether it
 * arrived.
 */
type Answered = (fault: unknown) => void

type Waiting = { at: number; answered: Answered; lateMs: number }

const noResponders = 503

/**
 * Publishes messages to a stream. All answers arrive on one subject: a request for each would cost
 * more processor time than the message.
 */
export class NatsPublisher {
  readonly #stream: NatsStream
  readonly #inbox: string
  readonly #answers: Subscription
  /** In the order of sending. */
  readonly #waiting = new Map<number, Waiting>()
  #sent = 0
  #timer: NodeJS.Timeout | null = null

  constructor(stream: NatsStream) {
    const { connection, createInbox } = stream.server
    this.#stream = stream
    this.#inbox = `${createInbox()}.`
    this.#answers = connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => this.#hear(error, message),
    })
    void this.#answers.closed.then(() => this.#end())
  }

  /** `answered` is called exactly once. */
  publish(message: StreamMessage, before: StreamMessage | undefined, answered: Answered): void {
    const { server, subject } = this.#stream
    this.#sent += 1
    const number = this.#sent
    const lateMs = performance.now() + answerMsMax
    this.#waiting.set(number, { at: message.at, answered, lateMs })
    this.#timer ??= this.#watch(answerMsMax)
    try {
      server.connection.publish(subject, message.bytes, {
        headers: headersOf(this.#stream, message, before),
        reply: `${this.#inbox}${number}`,
      })
    } catch (error) {
      this.#answer(number, error)
    }
  }

  close(): void {
    this.#answers.unsubscribe()
  }

  #hear(error: Error | null, message: Msg): void {
    // The subscription has ended: no more answers arrive.
    if (error !== null) return
    const number = Number(message.subject.slice(this.#inbox.length))
    const waiting = this.#waiting.get(number)
    if (waiting !== undefined) this.#answer(number, faultIn(message, waiting.at))
  }

  #answer(number: number, fault: unknown): void {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    waiting?.answered(fault)
  }

  #watch(timeMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#tellLate(), timeMs).unref()
  }

  #tellLate(): void {
    const nowMs = performance.now()
    for (const [number, { lateMs }] of this.#waiting) {
      if (lateMs > nowMs) break
      this.#answer(number, new Error(`no answer within ${answerMsMax} ms`))
    }
    const [oldest] = this.#waiting.values()
    this.#timer = oldest === undefined ? null : this.#watch(oldest.lateMs - nowMs)
  }

  #end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const number of [...this.#waiting.keys()])
      this.#answer(number, new Error('the connection was closed'))
  }
}

function faultIn(message: Msg, at: number): unknown {
  if (message.data.length === 0 && message.headers?.code === noResponders)
    return new Error('no server answers for the stream')
  try {
    const { error, seq } = message.json<{
      error?: { err_code: number; description: string }
      seq?: number
    }>()
    if (error !== undefined)
      return Object.assign(new Error(error.description), { code: error.err_code })
    return seq === at ? null : new Error(`message ${at} was answered as ${seq}`)
  } catch (error) {
    return error
  }
}

/**
 * Headers that put a message to its exact place or nowhere. `before` is our own message on its way
 * to the previous place: with the number alone the message could follow another writer's there. If
 * the previous one was acknowledged, the number is enough.
 */
export function headersOf(
  { server }: NatsStream,
  { at, id, place }: StreamMessage,
  before?: StreamMessage | undefined,
): MsgHdrs {
  return server.createHeaders({
    'Nats-Msg-Id': [id],
    'Nats-Expected-Last-Sequence': [`${at - 1}`],
    ...(before === undefined ? {} : { 'Nats-Expected-Last-Msg-Id': [before.id] }),
    [messageHeaderName]: [encodeMessageHeader(place)],
  })
}
