// The default theme without its fonts, in the colors of the terminal.
import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import ApiReference from './ApiReference.vue'
import './site.css'

// A link to a page of the service, which the router of the site must leave alone.
const terminalLink = () =>
  h('a', { class: 'terminal-link', href: '/', target: '_self' }, 'Terminal')

export default {
  extends: DefaultTheme,
  Layout: {
    setup() {
      const { frontmatter } = useData()
      return () =>
        h(DefaultTheme.Layout, null, {
          'nav-bar-content-after': terminalLink,
          'nav-screen-content-after': terminalLink,
          'doc-footer-before': () => (frontmatter.value.isApi ? h(ApiReference) : null),
        })
    },
  },
}
