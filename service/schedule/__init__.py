"""When sites are crawled: the timetable of their profiles, what is due, and the processes that crawl."""
