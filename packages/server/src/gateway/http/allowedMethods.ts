/** Which methods a path has, whatever the request's method; empty for a path nobody serves. */
export type AllowedMethods = {
  add(url: string, method: string): void
  of(path: string): string[]
}

export function createAllowedMethods(): AllowedMethods {
  const fixed = new Map<string, Set<string>>()
  const patterns: { pattern: RegExp; method: string }[] = []
  return {
    add(url, method) {
      if (!url.includes('/:')) {
        fixed.set(url, (fixed.get(url) ?? new Set()).add(method))
        return
      }
      const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : escaped(part)))
      patterns.push({ pattern: new RegExp(`^${parts.join('/')}$`), method })
    },
    of(path) {
      // A fixed path wins over those with an id.
      const ofId = () =>
        patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
      return [...(fixed.get(path) ?? new Set(ofId()))].sort()
    },
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
