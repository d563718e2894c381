"""Jenkins Build Failure Analyzer: a cause for each signature, shown on the failed build with fix and link."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from xml.sax.saxutils import escape as xml

from kb.rules.exporters.telling import advice, headline, plain, where
from kb.rules.model import Exported, TriageRule

NAME = "jenkins"
ABOUT = "Jenkins Build Failure Analyzer: causes with fix and link on the page of a failed build"
LOAD = "Put build-failure-analyzer.xml into JENKINS_HOME and restart, or copy its causes into yours."
PROVED = "xmllint, and Java's java.util.regex as the plugin calls it; the plugin itself is not run"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`build-failure-analyzer.xml`. The plugin matches whole lines, and shows the description as HTML."""
    causes = "".join(_cause(rule) for rule in rules)
    text = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<com.sonyericsson.jenkins.plugins.bfa.PluginImpl>\n"
        '  <knowledgeBase class="com.sonyericsson.jenkins.plugins.bfa.db.LocalFileKnowledgeBase">\n'
        f"    <causes>\n{causes}    </causes>\n"
        "  </knowledgeBase>\n"
        "</com.sonyericsson.jenkins.plugins.bfa.PluginImpl>\n"
    )
    return (Exported("build-failure-analyzer.xml", text),)


def _cause(rule: TriageRule) -> str:
    link = f'<a href="{escape(rule.url)}">{escape(rule.id)}</a>' if rule.url else escape(where(rule))
    description = f"{escape(advice(rule))} {link}"
    categories = "".join(f"            <string>{xml(plain(one))}</string>\n" for one in (rule.component, *rule.tags))
    return (
        "      <entry>\n"
        f"        <string>{xml(rule.id)}</string>\n"
        "        <com.sonyericsson.jenkins.plugins.bfa.model.FailureCause>\n"
        f"          <id>{xml(rule.id)}</id>\n"
        f"          <name>{xml(headline(rule))}</name>\n"
        f"          <description>{xml(description)}</description>\n"
        "          <comment>made by kb</comment>\n"
        f"          <categories>\n{categories}          </categories>\n"
        "          <indications>\n"
        "            <com.sonyericsson.jenkins.plugins.bfa.model.indication.BuildLogIndication>\n"
        f"              <pattern>{xml(f'.*{rule.pattern}.*')}</pattern>\n"
        "            </com.sonyericsson.jenkins.plugins.bfa.model.indication.BuildLogIndication>\n"
        "          </indications>\n"
        "        </com.sonyericsson.jenkins.plugins.bfa.model.FailureCause>\n"
        "      </entry>\n"
    )
