"""What a run did, for an operator: ``report.json`` for programs and a self-contained ``report.html`` for people.

``gather.build_report`` puts it together out of what ledger and archive keep anyway, ``text.render_json`` and
``page.render_html`` show it, ``files.write_report`` does all of that, and ``files.leave_report`` does it at the end of
a run, which a report must never fail.
"""
