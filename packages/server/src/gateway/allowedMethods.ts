/** Which methods a path has, whatever the request's method; empty for a path nobody serves. */
export type AllowedMethods = {
  add(url: string, method: string): void
  of(path: string): string[]
}

export function createAllowedMethods(): AllowedMethods {
  const routes: { pattern: RegExp; method: string }[] = []
  return {
    add(url, method) {
      const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : escaped(part)))
      routes.push({ pattern: new RegExp(`^${parts.join('/')}$`), method })
    },
    of(path) {
      const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
      return [...new Set(methods)].sort()
    },
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
