import { ChaintapeError, errorOf, KeyError } from '../errors.ts'
import { openSocket, type SocketLike, type SocketOptions } from './openSocket.ts'
import { type Message, type Subscription, subscribeParams } from './subscription.ts'
import type { TapeListener } from './tapeEvent.ts'

export type ConnectionOptions = SocketOptions & {
  /**
   * Seconds between two heartbeats. After two and a half of them without one, the connection counts
   * as dead. @default 10
   */
  heartbeatS?: number
  /** Longest pause before a reconnect. @default 15,000 */
  reconnectMsMax?: number
}

const firstPauseMs = 200
// Longer than a freshly started server takes.
const openMsMax = 15_000
// An unused socket is kept this long, so that an immediate reuse does not reconnect.
const idleMs = 1_000
// Calls sent without an answer: the plan would refuse a larger burst.
const unansweredMax = 100
const refusalsMax = 3
/** Status codes of failures that inputs do not cause; from 500 on they are temporary. */
const statusOf: Readonly<Record<string, number>> = {
  unavailable: 503,
  not_ready: 503,
  internal: 500,
  limit_exceeded: 429,
}
const noop = () => undefined

type Call = { id: number; subscription: Subscription; isAnswered: boolean }

/** A socket that reconnects with all its subscriptions. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #emit: TapeListener
  /** Each with its call on this socket; null if not sent yet. */
  readonly #subscriptions = new Map<Subscription, Call | null>()
  readonly #items = new Set<string>()
  readonly #calls = new Map<number, Call>()
  readonly #waiting = new Set<Subscription>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #socket: SocketLike | null = null
  #state: 'closed' | 'opening' | 'open' | 'pausing' = 'closed'
  #isPaced = false
  #unanswered = 0
  #attempt = 0
  #refusals = 0
  #nextId = 1
  #heardMs = 0
  /** Number of the current socket: events of earlier ones are ignored. */
  #era = 0

  constructor(options: ConnectionOptions, emit: TapeListener) {
    this.#options = options
    this.#emit = emit
  }

  /** A socket accepts each item once. */
  hasRoomFor({ items }: Subscription): boolean {
    return !items.some((item) => this.#items.has(item))
  }

  add(subscription: Subscription): void {
    this.#subscriptions.set(subscription, null)
    for (const item of subscription.items) this.#items.add(item)
    this.#waiting.add(subscription)
    if (this.#state === 'open') this.#sendWaiting()
    else if (this.#state === 'closed') this.#open()
  }

  remove(subscription: Subscription): void {
    const call = this.#subscriptions.get(subscription)
    if (!this.#subscriptions.delete(subscription)) return
    for (const item of subscription.items) this.#items.delete(item)
    this.#waiting.delete(subscription)
    if (call) {
      this.#forget(call)
      this.#send('unsubscribe', subscription.params)
    }
    if (this.#subscriptions.size > 0) return
    this.#after(idleMs, () => {
      if (this.#subscriptions.size === 0) this.close()
    })
  }

  close(): void {
    this.#drop()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, ms)
    this.#timers.add(timer)
  }

  #open(): void {
    const era = ++this.#era
    this.#state = 'opening'
    void openSocket(this.#options)
      .then((socket) => {
        if (era === this.#era) this.#listenTo(socket, era)
        else socket.close()
      })
      .catch((error: unknown) => {
        if (era !== this.#era) return
        // The platform has no sockets, or the key function failed.
        if (error instanceof ChaintapeError && error.code === 'missing_param') this.#failAll(error)
        else this.#lost(1006, String((error as Error)?.message ?? error))
      })
  }

  #listenTo(socket: SocketLike, era: number): void {
    const isNow = () => era === this.#era
    this.#socket = socket
    socket.onopen = () => {
      if (!isNow()) return
      this.#state = 'open'
      this.#heardMs = Date.now()
      this.#emit({ type: 'connected' })
      this.#sendWaiting()
      this.#watch(era)
    }
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (isNow()) this.#receive(String(data))
    }
    socket.onclose = ({ code = 1006, reason = '' }: { code?: number; reason?: string }) => {
      if (isNow()) this.#lost(code, String(reason))
    }
    // A close event follows. Without a listener some platforms end the program.
    socket.onerror = noop
    this.#after(openMsMax, () => {
      if (isNow() && this.#state === 'opening')
        this.#lost(1006, `It did not open within ${openMsMax} ms.`)
    })
  }

  /** Checks periodically whether anything arrived. */
  #watch(era: number): void {
    const silentMsMax = 2_500 * this.heartbeatS
    this.#after(silentMsMax / 5, () => {
      if (era !== this.#era) return
      const silentMs = Date.now() - this.#heardMs
      // Heartbeats need a subscription.
      if (silentMs <= silentMsMax || this.#subscriptions.size === 0) {
        this.#watch(era)
        return
      }
      this.#emit({ type: 'silent', silentMs })
      this.#lost(1006, 'Nothing was heard of the service.')
    })
  }

  get heartbeatS(): number {
    return this.#options.heartbeatS ?? 10
  }

  /** Drops the socket at once: a dead one may never report its end. */
  #drop(): void {
    const socket = this.#socket
    this.#era += 1
    this.#socket = null
    this.#state = 'closed'
    this.#isPaced = false
    for (const call of [...this.#calls.values()]) this.#forget(call)
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = noop
    try {
      socket.close()
    } catch {
      // It was not open yet.
    }
  }

  #lost(code: number, reason: string): void {
    this.#drop()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    if (this.#subscriptions.size === 0) return
    for (const subscription of this.#subscriptions.keys()) this.#waiting.add(subscription)
    const { reconnectMsMax = 15_000 } = this.#options
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#attempt, reconnectMsMax)
    // Random by half, so that clients of a failed server do not reconnect together.
    const retryMs = Math.round(pauseMs * (0.5 + Math.random() / 2))
    this.#attempt += 1
    this.#emit({ type: 'disconnected', code, reason, retryMs })
    this.#state = 'pausing'
    this.#after(retryMs, () => this.#open())
  }

  #failAll(error: ChaintapeError): void {
    this.#drop()
    for (const subscription of [...this.#subscriptions.keys()]) this.#fail(subscription, error)
  }

  #fail(subscription: Subscription, error: ChaintapeError): void {
    this.remove(subscription)
    subscription.fail(error)
  }

  #send(method: string, params: readonly unknown[], id?: number): void {
    if (this.#state === 'open')
      this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', method, params, id }))
  }

  #sendWaiting(): void {
    for (const subscription of this.#waiting) {
      if (this.#unanswered >= unansweredMax || this.#isPaced) return
      this.#waiting.delete(subscription)
      const call = { id: this.#nextId++, subscription, isAnswered: false }
      this.#unanswered += 1
      this.#calls.set(call.id, call)
      this.#subscriptions.set(subscription, call)
      this.#send('subscribe', subscribeParams(subscription), call.id)
    }
  }

  #answered(call: Call): void {
    if (!call.isAnswered) this.#unanswered -= 1
    call.isAnswered = true
  }

  #forget(call: Call): void {
    this.#answered(call)
    this.#calls.delete(call.id)
    if (this.#subscriptions.has(call.subscription)) this.#subscriptions.set(call.subscription, null)
  }

  #receive(text: string): void {
    this.#heardMs = Date.now()
    let message: Message
    try {
      message = JSON.parse(text)
    } catch {
      this.#lost(1007, 'A message is no JSON.')
      return
    }
    const { id, error } = message
    // Undefined for a subscription that has ended here.
    const call = typeof id === 'number' ? this.#calls.get(id) : undefined
    if (call !== undefined && error === undefined) this.#answer(call, message)
    else if (call !== undefined && error !== undefined) this.#failed(call, error)
    else if (error !== undefined && typeof id !== 'number') this.#refused(error)
  }

  #answer(call: Call, { result, cursor = null }: Message): void {
    const { subscription } = call
    const { name: stream } = subscription
    if (result.topic === 'heartbeat') {
      this.#emit({ type: 'heartbeat', heartbeat: result })
      if (cursor !== null) subscription.quiet(cursor)
    } else if (result.status === undefined) subscription.push(result, cursor)
    else if (result.subscribed !== undefined) this.#taken(call, result.rejected)
    else if (result.status === 'lagged') {
      subscription.cursor ??= result.cursor
      this.#emit({ type: 'lagged', stream })
    } else this.#emit({ type: 'switched', stream, data: result.data })
  }

  #taken(call: Call, rejected: readonly { param: unknown; reason: string }[]): void {
    const { subscription } = call
    const { name: stream, cursor, isResumable } = subscription
    this.#answered(call)
    this.#attempt = 0
    this.#refusals = 0
    for (const one of rejected) this.#emit({ type: 'rejected', stream, ...one })
    if (isResumable && cursor !== null) this.#emit({ type: 'resumed', stream, cursor })
    else {
      if (isResumable && subscription.wasTaken)
        this.#emit({ type: 'gap', stream, cursor, reason: 'It had no place yet to go on from.' })
      this.#emit({ type: 'subscribed', stream })
    }
    subscription.wasTaken = true
    subscription.taken()
    this.#sendWaiting()
  }

  /** A call failed, or a subscription cannot continue. */
  #failed(call: Call, error: NonNullable<Message['error']>): void {
    this.#forget(call)
    const { subscription } = call
    const { name: stream, cursor } = subscription
    const { code = 'bad_answer', param, cursor: place = null } = error.data ?? {}
    if (code === 'cursor_orphaned' || code === 'cursor_unknown') {
      subscription.cursor = place
      if (place !== null) this.#emit({ type: 'rewound', stream, cursor: place })
      else {
        subscription.wasTaken = false
        this.#emit({ type: 'gap', stream, cursor, reason: error.message })
      }
      this.#waiting.add(subscription)
      this.#sendWaiting()
      return
    }
    const status = statusOf[code] ?? 400
    const fault = errorOf(error.message, { code, param, status })
    if (status < 500) {
      this.#fail(subscription, fault)
      return
    }
    this.#emit({ type: 'waiting', stream, error: fault })
    this.#waiting.add(subscription)
    this.#pace()
  }

  /**
   * An error without a call: the key is refused and the socket closes, or messages came too fast
   * and one was dropped unread.
   */
  #refused({ code, message }: NonNullable<Message['error']>): void {
    if (code !== -1) {
      // The dropped one is unknown, so all unanswered calls are sent again.
      for (const call of [...this.#calls.values()])
        if (!call.isAnswered) {
          this.#forget(call)
          this.#waiting.add(call.subscription)
        }
      this.#pace()
      return
    }
    this.#refusals += 1
    const isOver = typeof this.#options.key === 'function' ? this.#refusals >= refusalsMax : true
    // Sockets that were cut off count until the service notices.
    if (isOver && !message.startsWith('Too Many'))
      this.#failAll(new KeyError(message, { code: 'invalid_key', status: 401 }))
  }

  #pace(): void {
    if (this.#isPaced) return
    this.#isPaced = true
    this.#after(1_000, () => {
      this.#isPaced = false
      if (this.#state === 'open') this.#sendWaiting()
    })
  }
}
