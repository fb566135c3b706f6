// Which Markdown files become pages of the site, where, and what links between them become.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Pages that are kept outside of docs/, because GitHub and npm look for them there. */
const kept: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'inside/architecture.md',
  'CONTRIBUTING.md': 'inside/contributing.md',
  'SECURITY.md': 'inside/security.md',
  'CHANGELOG.md': 'inside/changelog.md',
  'bench/README.md': 'inside/benchmarks.md',
  'deploy/README.md': 'operate/deploy.md',
}

/** Files that a link may name and that the service serves elsewhere. */
const served: Readonly<Record<string, string>> = {
  'packages/server/static/config.schema.json': '/config.schema.json',
}

/** Place of a Markdown file on the site, as `reference/rest.md`. Null: it is not on the site. */
export function pageOf(source: string): string | null {
  if (source.startsWith('docs/'))
    return source.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
  return kept[source] ?? null
}

/** Every Markdown file that is a page of the site, by its path from the root of the repository. */
export function pageSources(): string[] {
  const below = readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => `docs/${name}`)
  return [...below, ...Object.keys(kept).filter((name) => existsSync(resolve(root, name)))]
}

/** Text of the first heading of a page. */
export function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}

/** First sentence of a page. */
export function summaryOf(text: string): string {
  const paragraphs = text.replace(/^---\n[\s\S]*?\n---\n/, '').split(/\n\s*\n/)
  const isSaying = (each: string) => /^(?!Recorded|Generated)[\p{L}`*[]/u.test(each)
  const first = paragraphs.find(isSaying) ?? ''
  const plain = first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return /^.+?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

export type Target = { href: string; isPage: boolean }

/**
 * The target of a Markdown link on the site: a page from the root of the site, or a path of
 * the service. Null: the target is a file of the repository only.
 */
export function targetOf(source: string, href: string): Target | null {
  if (/^([a-z][a-z+.-]*:|#|\/)/i.test(href)) return { href, isPage: false }
  const [path = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(source), decodeURI(path))
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = existsSync(resolve(root, target)) && target.endsWith('.md') ? pageOf(target) : null
  if (page !== null) return { href: `/${page}${hash}`, isPage: true }
  const other = served[target]
  return other === undefined ? null : { href: other, isPage: false }
}

/** Anchor of a heading, as GitHub makes it. */
export function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** A page as Markdown, with links that hold at its address on the site. */
export function servedMarkdown(source: string, base: string): string {
  const text = readFileSync(resolve(root, source), 'utf8')
  return text.replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label: string, href: string) => {
    const target = targetOf(source, href)
    if (target === null) return label
    return target.isPage ? `[${label}](${base}${target.href.slice(1)})` : link
  })
}
