import { ChaintapeError, errorOfBody, NetworkError } from '../errors.ts'

/** A key, or a function that returns the current one. */
export type Key = string | (() => string | Promise<string>)

export type RestOptions = {
  /** Address of the service, such as `http://localhost:8080`. @default the page's origin */
  url?: string
  key?: Key
  /** @default the platform's */
  fetch?: typeof fetch
  /** Timeout of one attempt. @default 15,000 */
  timeoutMs?: number
  /** Retries of a failed call. @default 3 */
  retries?: number
  /** If the service asks for a longer pause, the call fails at once. @default 30,000 */
  retryPauseMsMax?: number
}

/** Options that one call may override. */
export type CallOptions = Pick<RestOptions, 'timeoutMs' | 'retries'> & { signal?: AbortSignal }

export type Request = { method: 'GET' | 'POST'; path: string; body?: unknown }

/** Sends a request, retries it if that may help, and resolves with the answer's body. */
export type Send = (request: Request, call?: CallOptions) => Promise<unknown>

const pauseMs = 250

export function createSend(options: RestOptions): Send {
  const { key, retryPauseMsMax = 30_000 } = options
  const base = baseOf(options.url)
  // A browser's fetch must not be called as a method.
  const ask = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given))

  async function attempt({ method, path, body }: Request, signal: AbortSignal): Promise<unknown> {
    const headers: Record<string, string> = {}
    const keyText = typeof key === 'function' ? await key() : key
    if (keyText !== undefined) headers['X-API-KEY'] = keyText
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    const response = await ask(base + path, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = jsonOf(await response.text())
    if (response.status === 200 && answer !== undefined) return answer
    const pauseText = response.headers.get('retry-after')
    throw errorOfBody(response.status, answer, pauseText === null ? undefined : Number(pauseText))
  }

  return async (request, { signal, ...call } = {}) => {
    const { timeoutMs = 15_000, retries = 3 } = { ...options, ...call }
    for (let tried = 0; ; tried += 1) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const both = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      try {
        return await attempt(request, both)
      } catch (fault) {
        signal?.throwIfAborted()
        const error = networkFault(fault, timeout.aborted ? timeoutMs : null)
        const waitMs = pauseBefore(error, request.method, tried)
        if (tried >= retries || waitMs === null || waitMs > retryPauseMsMax) throw error
        await pause(waitMs, signal)
      }
    }
  }
}

/** Without a trailing slash. */
export function baseOf(url: string | undefined): string {
  const { location } = globalThis as { location?: { origin: string } }
  const base = url ?? location?.origin
  if (base === undefined)
    throw new ChaintapeError('Say where the service is: { url: "http://localhost:8080" }.', {
      code: 'missing_param',
      param: 'url',
    })
  return base.replace(/\/+$/, '')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Errors of fetch differ between platforms. */
function networkFault(fault: unknown, timeoutMs: number | null): ChaintapeError {
  if (fault instanceof ChaintapeError) return fault
  if (timeoutMs !== null)
    return new NetworkError(`There was no answer within ${timeoutMs} ms.`, { code: 'timeout' })
  return new NetworkError('The service cannot be reached.', { code: 'network', cause: fault })
}

/** Milliseconds until a retry; null if it would fail again. */
function pauseBefore(
  { status, retryAfterS }: ChaintapeError,
  method: string,
  tried: number,
): number | null {
  // Random by half, so that clients that failed together do not retry together.
  const jittered = pauseMs * 2 ** tried * (0.5 + Math.random() / 2)
  // A limit without this header does not end with time.
  if (status === 429) return retryAfterS === undefined ? null : retryAfterS * 1_000 + jittered
  if (status === 503) return Math.max((retryAfterS ?? 0) * 1_000, 0) + jittered
  const mayHelp = status === 0 || status >= 500
  return method === 'GET' && mayHelp ? jittered : null
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
