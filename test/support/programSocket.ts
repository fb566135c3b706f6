// A WebSocket client of a running program that keeps every frame and waits for conditions.
import { type ClientOptions, WebSocket } from 'ws'
import { until } from './until.ts'

/** A message as received. Tests look into its content. */
export type Frame = {
  id?: number | null
  jsonrpc?: string
  // biome-ignore lint/suspicious/noExplicitAny: frames are what is tested
  result?: any
  // biome-ignore lint/suspicious/noExplicitAny: frames are what is tested
  error?: any
  cursor?: string | null
  block_time?: number | null
  received_time?: number | null
  sent_time?: number
}

export type ProgramSocket = {
  webSocket: WebSocket
  /** All received frames, in order. */
  frames: Frame[]
  closed: Promise<{ code: number; reason: string }>
  isClosed(): boolean
  send(value: unknown): void
  /** Sends a request and returns its answer, which precedes the first push. */
  call(method: string, params: unknown, id?: number): Promise<Frame>
  subscribe(params: readonly unknown[], id?: number): Promise<Frame>
  /** Pushes under an id, in order. */
  pushes(id: number): Frame[]
  /** Waits for a matching frame, including frames received already. */
  find(what: string, isWanted: (frame: Frame) => boolean): Promise<Frame>
  close(): Promise<void>
}

export type SocketOptions = ClientOptions & { path?: string; key?: string }

/** Connects to the program with this HTTP address; resolves when the socket is open. */
export async function openProgramSocket(
  address: string,
  { path = '/ws', key, ...options }: SocketOptions = {},
): Promise<ProgramSocket> {
  const headers = key === undefined ? {} : { 'X-API-KEY': key }
  const url = `${address.replace(/^http/, 'ws')}${path}`
  const webSocket = new WebSocket(url, { headers, perMessageDeflate: false, ...options })
  const frames: Frame[] = []
  let isClosed = false
  let nextId = 1
  const opened = new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    webSocket.once('error', reject)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.once('close', (code, reason) => {
      isClosed = true
      resolve({ code, reason: reason.toString() })
    })
  })
  webSocket.on('message', (data) => frames.push(JSON.parse(data.toString()) as Frame))
  webSocket.on('error', () => {})
  await opened

  const socket: ProgramSocket = {
    webSocket,
    frames,
    closed,
    isClosed: () => isClosed,
    send: (value) => webSocket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    async call(method, params, id = nextId++) {
      const from = frames.length
      socket.send({ jsonrpc: '2.0', method, params, id })
      const isOurs = (frame: Frame) => frame.id === id && isAnswer(frame)
      await until(`${method} ${id} is answered`, () => frames.slice(from).some(isOurs) || isClosed)
      const answer = frames.slice(from).find(isOurs)
      if (answer === undefined) throw new Error(`Closed before ${method} ${id} was answered.`)
      return answer
    },
    subscribe: (params, id) => socket.call('subscribe', params, id),
    pushes: (id) => frames.filter((frame) => frame.id === id && !isAnswer(frame)),
    async find(what, isWanted) {
      let found: Frame | undefined
      let seen = 0
      await until(what, () => {
        for (; seen < frames.length && found === undefined; seen += 1)
          if (isWanted(frames[seen]!)) found = frames[seen]
        if (found === undefined && isClosed) throw new Error(`Closed before ${what}.`)
        return found !== undefined
      })
      return found!
    },
    async close() {
      webSocket.close()
      await closed
    },
  }
  return socket
}

/** Whether the frame answers a request. Pushes have a topic or an event instead. */
export function isAnswer({ result, error }: Frame): boolean {
  if (error !== undefined) return true
  if (result === 'pong') return true
  return result?.subscribed !== undefined || result?.unsubscribed !== undefined
}

/**
 * Whether the frame reports a change of main pair. Subscribers to klines of either pair receive it
 * whenever the market changes so.
 */
export function isMainPairSwitch({ result }: Frame): boolean {
  return result?.data?.event === 'switch_main_pair'
}
